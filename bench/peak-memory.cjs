// Preloaded into a measured process. On exit it writes its peak memory in kilobytes and its CPU time in milliseconds to file descriptor 3.
// On Linux, `maxRSS` includes the memory of the process that forked it; `VmHWM` does not.
const fs = require('node:fs');

process.once('exit', () => {
  const status = fs.existsSync('/proc/self/status') ? fs.readFileSync('/proc/self/status', 'utf8') : '';
  const { user, system } = process.cpuUsage();
  const kilobytes = /^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  fs.writeSync(3, `${kilobytes} ${(user + system) / 1000}`);
});
