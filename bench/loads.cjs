// Preloaded into a measured process. On exit it writes the files that the process has read and the Node modules that it has
// loaded to file descriptor 3.
const fs = require('node:fs');

const files = new Set();
for (const name of ['readFileSync', 'openSync']) {
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    files.add(String(path));
    return original(path, ...rest);
  };
}
process.once('exit', () => {
  fs.writeSync(3, JSON.stringify({ files: [...files], modules: process.moduleLoadList.map(String) }));
});
