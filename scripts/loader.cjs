#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, files of parts/. Compiling them takes a fifth of a cold start, so V8's code cache is stored in
// one file for each command with the code that this command compiles. It is next to the code, written by the build or by the
// first run under another Node version, or in the user's folder if the code is read-only. V8 only compares the length of a
// source, so the name of the folder identifies the build.
//
// This file itself is compiled at every start, as is every function of Node that it is the first to call. So it is short, the
// build removes its comments, and code that few starts need is in save-cache.js.
const fs = require('node:fs');
const vm = require('node:vm');
const { env } = process;
const key = `__BUILD__-${process.version}-${process.arch}`;
const sharedFolder = `${__dirname}/cache/${key}`;
const home = env.CLEO_HOME || (env.HOME && `${env.HOME}/.cleo`);
const word = process.argv[2];
// A batch ends before optimized code makes it faster: compiling it took a third of the CPU time and 7 MB. Code in the cache of this
// command fits these flags, so they must be set before the first file is loaded.
if (word === 'add-batch') {
  require('node:v8').setFlagsFromString('--no-opt');
  // New objects live briefly. Memory for more of them would grow by 5 MB, and the call would not end earlier.
  require('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
// A move of the store takes a quarter less memory with a small heap for new objects, and as long.
if (word === 'store') require('node:v8').setFlagsFromString('--optimize-for-size');
// An import creates garbage faster than V8 collects it: on a busy machine, the heap grew to three times what is in use.
if (word === 'import') require('node:v8').setFlagsFromString('--heap-growing-percent=30');
const name = `${/^[a-z][a-z-]*$/.test(word) ? word : '-'}.bin`;
/** Longer than most caches with a source behind them. Memory that is not used costs nothing. */
let memory = Buffer.allocUnsafeSlow(2 << 20);
/** Sources are read into the memory behind the cache, over its second copy. */
let sourceStart = 0;
const cached = readCache(name) ?? readCache('-.bin') ?? {};
const scripts = {};
const loaded = {};
let core = {};
let isIncomplete = false;

function compile(file) {
  const filename = `${__dirname}/${file}`;
  const cachedData = cached[file];
  const length = read(filename, sourceStart);
  if (length === undefined) throw new Error(`${filename} is missing; install cleo again`);
  const source = memory.latin1Slice(sourceStart, sourceStart + length);
  const script = new vm.Script(source, { filename, cachedData });
  // The build runs a command several times and stores the code that any of these runs compiles.
  if (!cachedData || script.cachedDataRejected || env.CLEO_WARMS) {
    if (!isIncomplete) process.once('exit', () => require('./save-cache.js')({ cached, scripts, word, name, key, sharedFolder, home }));
    isIncomplete = true;
    scripts[file] = script;
  }
  return script.runInThisContext();
}

/** Returns the cached code of each file; undefined if the cache is missing or damaged. V8 would run damaged code without noticing.
 *  Comparing two copies takes a tenth of the time of a checksum in JavaScript. */
function readCache(file) {
  const length =
    read(`${sharedFolder}/${file}`, 0) ?? (isOwn(`${home}/cache/${key}`) ? read(`${home}/cache/${key}/${file}`, 0) : undefined);
  const half = length / 2;
  if (!length || !memory.subarray(0, half).equals(memory.subarray(half, length))) return undefined;
  try {
    const positions = JSON.parse(memory.latin1Slice(0, memory.indexOf(10)));
    for (const part of Object.keys(positions)) positions[part] = memory.subarray(...positions[part]);
    sourceStart = half;
    return positions;
  } catch {
    // A power failure can leave a file of zeros.
    return undefined;
  }
}

/** Reads a file into the memory and returns its length; undefined if it cannot be read. `readFileSync` would call more functions of
 *  Node, and it reads text in steps of 8 KB. */
function read(path, start) {
  let file;
  try {
    file = fs.openSync(path);
    for (let end = start; ; ) {
      if (end === memory.length) memory = Buffer.concat([memory], memory.length * 2);
      const length = fs.readSync(file, memory, end, memory.length - end, null);
      if (length === 0) return end - start;
      end += length;
    }
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Checks that the folder belongs to the current user. Code from other users is not run. */
function isOwn(folder) {
  // `statSync` throws if the home folder is closed to the user, as it is for a command that root runs as another user.
  const found = home && process.getuid && fs.existsSync(folder) && fs.statSync(folder, { throwIfNoEntry: false });
  return found && found.uid === process.getuid();
}

function load(id) {
  if (loaded[id]) return loaded[id].exports;
  const known = core[id.slice('core:'.length)];
  if (known) {
    loaded[id] = { exports: known() };
    return loaded[id].exports;
  }
  if (!id.startsWith('part:')) return require(id);
  const file = `parts/${id.slice('part:src/'.length, -'.ts'.length).replaceAll('/', '-')}.js`;
  const module = { exports: {} };
  loaded[id] = module;
  compile(file)(load, module, module.exports, __filename);
  return module.exports;
}

compile('core.js')(load, { exports: {} }, {}, __filename, (table) => {
  core = table;
});
