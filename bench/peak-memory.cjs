// Preloaded into a measured process: at its end it writes its largest memory, in kilobytes, to file 3. Linux counts the
// memory of the process that forked into `maxRSS`; `VmHWM` is the process's own.
const fs = require('node:fs');

process.once('exit', () => {
  const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
  fs.writeSync(3, /^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? String(process.resourceUsage().maxRSS));
});
