// Preloaded into a measured process: at its end it writes to file 3 which of our files it has read and which of Node's
// own modules it has loaded.
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
