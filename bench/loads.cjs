// Preloaded into a measured process. On exit it writes the files that the process has read and the Node modules that it has
// loaded to file descriptor 3.
const fs = require('node:fs');

const files = [];
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  files.push(String(path));
  return readFileSync(path, ...rest);
};
process.once('exit', () => {
  fs.writeSync(3, JSON.stringify({ files, modules: process.moduleLoadList.map(String) }));
});
