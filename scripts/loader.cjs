#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, files of parts/. Compiling them takes a fifth of a cold start, so V8's code cache is stored in
// one file for each command with the code that this command compiles. It is next to the code, written by the build or by the
// first run under another Node version, or in the user's folder if the code is read-only. V8 only compares the length of a
// source, so the name of the folder identifies the build.
//
// This file itself is compiled at every start, as is every function of Node that it is the first to call: 0.01 to 0.03 ms each. So it is
// short, the build removes its comments, it uses methods of `Uint8Array`, which are part of V8, instead of those of `Buffer`, and code that
// few starts need is in save-cache.js. `require` would load a built-in module with seven functions that nothing else calls, and `readSync`
// checks its parameters with three more functions than `readvSync`.
const { getBuiltinModule } = process;
const fs = getBuiltinModule('node:fs');
const vm = getBuiltinModule('node:vm');
const { env } = process;
const key = `__BUILD__-${process.version}-${process.arch}`;
const sharedFolder = `${__dirname}/cache/${key}`;
const home = env.CLEO_HOME || (env.HOME && `${env.HOME}/.cleo`);
const word = process.argv[2];
// A batch ends before optimized code makes it faster: compiling it took a third of the CPU time and 7 MB. Code in the cache of this
// command fits these flags, so they must be set before the first file is loaded.
if (word === 'add-batch') {
  getBuiltinModule('node:v8').setFlagsFromString('--no-opt');
  // New objects live briefly. Memory for more of them would grow by 5 MB, and the call would not end earlier.
  getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
// A move of the store takes a quarter less memory with a small heap for new objects, and as long.
if (word === 'store') getBuiltinModule('node:v8').setFlagsFromString('--optimize-for-size');
// An import creates garbage faster than V8 collects it: on a busy machine, the heap grew to three times what is in use.
if (word === 'import') getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=30');
// A read that is logged needs the code of a write too, which other reads must not load; a git hook needs little of what `sync` loads.
const variant = env.CLEO_SESSION_GRADE === 'true' ? '+grade' : process.argv[3] === '--git-hook' ? '+hook' : '';
// Only lower-case letters and hyphens. Using a pattern for the first time takes ten times as long as this loop.
let isCommand = word !== undefined && word !== '' && word[0] !== '-';
for (let i = 0; isCommand && i < word.length; i++) isCommand = word[i] === '-' || (word[i] >= 'a' && word[i] <= 'z');
const name = `${isCommand ? word : '-'}${variant}.bin`;
const { equals, latin1Slice } = Buffer.prototype;
/** The source of the core and then the cache are read into the same memory, because each new page of 4 KB takes 0.002 ms. Longer than most
 *  caches; memory that is not used costs nothing. */
const memory = new Uint8Array(1 << 20);
/** Short enough for memory that Node has used before. */
const piece = new Uint8Array(1 << 16);
const coreSource = readSource('core.js', memory);
let learntRuns = 0;
const cached = readCache(name) ?? readCache('-.bin') ?? {};
const scripts = {};
const loaded = {};
let core = {};
let isIncomplete = false;
// Each of the first runs of a command adds the functions that it compiles, because no single one calls all that later ones need.
const isLearning = env.CLEO_WARMS || learntRuns < 3;

function compile(file, source = readSource(file, piece)) {
  const filename = `${__dirname}/${file}`;
  const cachedData = cached[file];
  const script = new vm.Script(source, { filename, cachedData });
  if (!cachedData || script.cachedDataRejected || isLearning) {
    if (!isIncomplete)
      process.once('exit', () => require('./save-cache.js')({ cached, scripts, learntRuns, word, name, key, sharedFolder, home }));
    isIncomplete = true;
    scripts[file] = script;
  }
  return script.runInThisContext();
}

/** Reads a source as text. `bytes` is memory for it; a longer source gets more. */
function readSource(file, bytes) {
  const opened = open(`${__dirname}/${file}`);
  if (opened === undefined) throw new Error(`${__dirname}/${file} is missing; install cleo again`);
  let length = 0;
  for (;;) {
    length += fs.readvSync(opened, [bytes.subarray(length)]);
    if (length < bytes.length) break;
    const longer = new Uint8Array(2 * length);
    longer.set(bytes);
    bytes = longer;
  }
  fs.closeSync(opened);
  return latin1Slice.call(bytes, 0, length);
}

/** Returns the cached code of each file; undefined if the cache is missing or damaged. V8 would run damaged code without noticing.
 *  Comparing two copies takes a tenth of the time of a checksum in JavaScript. The second one is read piece by piece. */
function readCache(file) {
  const opened = open(`${sharedFolder}/${file}`) ?? (isOwn(`${home}/cache/${key}`) ? open(`${home}/cache/${key}/${file}`) : undefined);
  if (opened === undefined) return undefined;
  try {
    fs.readvSync(opened, [piece], 0);
    const { length, runs, positions } = JSON.parse(latin1Slice.call(piece, 0, piece.indexOf(10)));
    const bytes = length > memory.length ? new Uint8Array(length) : memory;
    fs.readvSync(opened, [bytes.subarray(0, length)], 0);
    for (let at = 0; at < length; at += piece.length) {
      const count = fs.readvSync(opened, [piece.subarray(0, length - at)], length + at);
      if (count === 0 || !equals.call(piece.subarray(0, count), bytes.subarray(at, at + count))) return undefined;
    }
    for (const part of Object.keys(positions)) positions[part] = bytes.subarray(...positions[part]);
    if (file === name) learntRuns = runs;
    return positions;
  } catch {
    // A power failure can leave a file of zeros.
    return undefined;
  } finally {
    fs.closeSync(opened);
  }
}

/** Opens a file to read it; undefined if that is not possible. */
function open(path) {
  try {
    return fs.openSync(path);
  } catch {
    return undefined;
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
  if (!id.startsWith('part:')) return getBuiltinModule(id) ?? require(id);
  const file = `parts/${id.slice('part:src/'.length, -'.ts'.length).replaceAll('/', '-')}.js`;
  const module = { exports: {} };
  loaded[id] = module;
  compile(file)(load, module, module.exports, __filename);
  return module.exports;
}

compile('core.js', coreSource)(load, { exports: {} }, {}, __filename, (table) => {
  core = table;
});
