#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, one file of parts/. Compiling them is a fifth of a cold start, so V8's code cache is kept
// beside them: made by the build, and made again by the first run under another Node where the folder can be written.
const fs = require('node:fs');
const vm = require('node:vm');
const files = __PARTS__;
const caches = `${__dirname}/cache/${process.version}-${process.arch}`;
const loaded = {};
let core = {};
let missing;

function compile(file) {
  const source = fs.readFileSync(`${__dirname}/${file}`, 'latin1');
  const cache = `${caches}/${file.replace('/', '-')}.bin`;
  const cachedData = read(cache);
  const script = new vm.Script(source, { filename: `${__dirname}/${file}`, cachedData });
  if (!cachedData || script.cachedDataRejected) keepAtExit(cache, script);
  return script.runInThisContext();
}

function read(path) {
  // An exception costs more than a look.
  return fs.existsSync(path) ? fs.readFileSync(path) : undefined;
}

function keepAtExit(cache, script) {
  missing ??= [];
  if (missing.length === 0) process.once('exit', keep);
  missing.push([cache, script]);
}

function keep() {
  for (const [cache, script] of missing) {
    const fresh = `${cache}.${process.pid}`;
    try {
      fs.mkdirSync(caches, { recursive: true });
      fs.writeFileSync(fresh, script.createCachedData(), { flag: 'wx' });
      fs.renameSync(fresh, cache);
    } catch {
      // A folder that cannot be written only means a slower start.
    }
  }
}

function load(id) {
  const known = core[id];
  if (known) return known;
  const file = files[id];
  if (!file) return require(id);
  if (!loaded[id]) {
    const module = { exports: {} };
    loaded[id] = module;
    compile(file)(load, module, module.exports, __filename);
  }
  return loaded[id].exports;
}

compile('core.js')(load, { exports: {} }, {}, __filename, (table) => {
  core = table;
});
