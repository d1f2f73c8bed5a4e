#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, files of parts/. Compiling them takes a fifth of a cold start, so V8's code cache is stored in
// one file for each command with the code that this command compiles. It is next to the code, written by the build or by the
// first run under another Node version, or in the user's folder if the code is read-only. V8 only compares the length of a
// source, so the name of the folder identifies the build.
const fs = require('node:fs');
const vm = require('node:vm');
const build = '__BUILD__';
const { env, pid } = process;
const key = `${build}-${process.version}-${process.arch}`;
const sharedFolder = `${__dirname}/cache/${key}`;
const home = env.CLEO_HOME || (env.HOME && `${env.HOME}/.cleo`);
const word = process.argv[2];
/** The list of commands is read only when a cache is written, because this file is compiled at every start. */
let name = `${/^[a-z][a-z-]*$/.test(word) ? word : '-'}.bin`;
const bundle = readCache(name) ?? readCache('-.bin');
const cached = bundle ? parsePositions(bundle) : {};
const scripts = {};
const loaded = {};
let core = {};
let isIncomplete = false;

function compile(file) {
  const cachedData = readBlob(file);
  const script = new vm.Script(fs.readFileSync(`${__dirname}/${file}`, 'utf8'), { filename: `${__dirname}/${file}`, cachedData });
  // The build runs a command several times and stores the code that any of these runs compiles.
  if (!cachedData || script.cachedDataRejected || env.CLEO_WARMS) {
    if (!isIncomplete) process.once('exit', saveCache);
    isIncomplete = true;
    scripts[file] = script;
  }
  return script.runInThisContext();
}

function readCache(file) {
  return read(`${sharedFolder}/${file}`) ?? (isOwn(`${home}/cache/${key}`) ? read(`${home}/cache/${key}/${file}`) : undefined);
}

function read(path) {
  // An exception costs more than `existsSync`.
  if (!fs.existsSync(path)) return undefined;
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Reads the positions of the cached files. A damaged cache is ignored. */
function parsePositions(bytes) {
  try {
    return JSON.parse(bytes.latin1Slice(0, bytes.indexOf(10)));
  } catch {
    return {};
  }
}

/** Returns the cached code of a file; undefined if it is missing or damaged. V8 would run damaged code without noticing. Comparing two
 *  copies takes a tenth of the time of a checksum in JavaScript. */
function readBlob(file) {
  const [start, end, copy] = cached[file] ?? [];
  const bytes = start === undefined ? undefined : bundle.subarray(start, end);
  return bytes?.length && bytes.equals(bundle.subarray(copy, copy + bytes.length)) ? bytes : undefined;
}

/** Checks that the folder belongs to the current user. Code from other users is not run. */
function isOwn(folder) {
  const found = home && process.getuid && fs.statSync(folder, { throwIfNoEntry: false });
  return found && found.uid === process.getuid();
}

function saveCache() {
  // A server keeps loading parts for its clients. They must not slow down its next start.
  if (!scripts['core.js'] && Object.keys({ ...cached, ...scripts }).length > 24) {
    // A damaged part is stored again.
    for (const file of Object.keys(scripts)) if (!cached[file]) delete scripts[file];
    if (Object.keys(scripts).length === 0) return;
  }
  if (!JSON.parse(fs.readFileSync(`${__dirname}/words.json`, 'utf8')).includes(word)) name = '-.bin';
  const bytes = packCaches();
  if (writeCache(sharedFolder, bytes) || !home || !process.getuid) return;
  writeCache(`${home}/cache/${key}`, bytes);
}

/** Packs the earlier caches and the newly compiled ones: a line of JSON with the positions of each and of its copy, then the caches. */
function packCaches() {
  const parts = Object.keys(cached)
    .filter((file) => !scripts[file] && readBlob(file))
    .map((file) => [file, readBlob(file)]);
  for (const file of Object.keys(scripts)) parts.push([file, scripts[file].createCachedData()]);
  // Each entry has a name and three numbers.
  const head = (parts.reduce((length, [file]) => length + file.length + 40, 8) | 4095) + 1;
  const size = parts.reduce((total, [, bytes]) => total + ((bytes.length + 7) & ~7), 0);
  const positions = {};
  let at = head;
  for (const [file, bytes] of parts) {
    positions[file] = [at, at + bytes.length, at + size];
    at += (bytes.length + 7) & ~7;
  }
  const all = Buffer.alloc(head + 2 * size);
  all.write(`${JSON.stringify(positions)}\n`);
  for (const [file, bytes] of parts) all.set(bytes, positions[file][0]);
  all.copyWithin(head + size, head, head + size);
  return all;
}

/** Writes the cache. If the folder is read-only, the next start is slower. */
function writeCache(folder, bytes) {
  const fresh = `${folder}/${name}.${pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true });
    // Flushed to disk, because V8 trusts the cache and a power failure must not leave half of it.
    fs.writeFileSync(fresh, bytes, { flag: 'wx', flush: true });
    fs.renameSync(fresh, `${folder}/${name}`);
    removeOldCaches(`${folder}/..`);
    return true;
  } catch {
    removeQuietly(fresh);
    return false;
  }
}

/** Removes a file that may be in a folder of another user. */
function removeQuietly(path) {
  try {
    fs.rmSync(path, { force: true });
  } catch {
    // The file could not be created there either.
  }
}

/** Removes the caches of other builds. */
function removeOldCaches(folder) {
  for (const other of fs.readdirSync(folder))
    if (/^[0-9a-f]{12}-v/.test(other) && !other.startsWith(build)) fs.rmSync(`${folder}/${other}`, { recursive: true, force: true });
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
