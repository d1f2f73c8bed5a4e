import fc from 'fast-check';

// The same cases in every run, so that failures come from the change. The full fault tests use new ones.
if (process.env.CLEO_FAULTS !== 'full') fc.configureGlobal({ seed: 20_261_115 });
