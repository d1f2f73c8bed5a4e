import fc from 'fast-check';

// The same cases every time, so that a change is judged by what it changes; the long runs look for new ones.
if (process.env.CLEO_FAULTS !== 'full') fc.configureGlobal({ seed: 20_261_115 });
