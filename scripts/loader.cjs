#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, one file of parts/. Compiling them is a fifth of a cold start, so V8's code cache is kept,
// one file for each command with just what that command compiles: beside the code, made by the build or by the first run
// under another Node; where that folder belongs to someone else, in the user's own. V8 itself only compares the length of
// a source, so the folder's name says which build it belongs to.
const fs = require('node:fs');
const vm = require('node:vm');
const build = '__BUILD__';
const { env, pid } = process;
const key = `${build}-${process.version}-${process.arch}`;
const beside = `${__dirname}/cache/${key}`;
const home = env.CLEO_HOME || (env.HOME && `${env.HOME}/.cleo`);
const word = process.argv[2];
/** Which commands there are is looked up only when a cache is written: this file is compiled anew at every start. */
let name = `${/^[a-z][a-z-]*$/.test(word) ? word : '-'}.bin`;
const bundle = cacheOf(name) ?? cacheOf('-.bin');
const kept = bundle ? placesIn(bundle) : {};
const scripts = {};
const loaded = {};
let core = {};
let isIncomplete = false;

function compile(file) {
  const [start, end] = kept[file] ?? [];
  const cachedData = start === undefined ? undefined : bundle.subarray(start, end);
  const script = new vm.Script(fs.readFileSync(`${__dirname}/${file}`, 'utf8'), { filename: `${__dirname}/${file}`, cachedData });
  // The build runs a command in several ways, and keeps what any of them compiles.
  if (!cachedData || script.cachedDataRejected || env.CLEO_WARMS) {
    if (!isIncomplete) process.once('exit', keep);
    isIncomplete = true;
    scripts[file] = script;
  }
  return script.runInThisContext();
}

function cacheOf(file) {
  return read(`${beside}/${file}`) ?? (isOwn(`${home}/cache/${key}`) ? read(`${home}/cache/${key}/${file}`) : undefined);
}

function read(path) {
  // An exception costs more than a look.
  if (!fs.existsSync(path)) return undefined;
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
  }
}

/** A damaged cache is no cache. */
function placesIn(bytes) {
  try {
    return JSON.parse(bytes.latin1Slice(0, bytes.indexOf(10)));
  } catch {
    return {};
  }
}

/** Code is only taken from a folder of the user who runs it. */
function isOwn(folder) {
  const found = home && process.getuid && fs.statSync(folder, { throwIfNoEntry: false });
  return found && found.uid === process.getuid();
}

function keep() {
  // A server goes on to load what its clients ask for; what every start reads stays what a start needs.
  if (!scripts['core.js'] && Object.keys({ ...kept, ...scripts }).length > 24) return;
  if (!JSON.parse(fs.readFileSync(`${__dirname}/words.json`, 'utf8')).includes(word)) name = '-.bin';
  const bytes = bundled();
  if (fill(beside, bytes) || !home || !process.getuid) return;
  fill(`${home}/cache/${key}`, bytes);
}

/** What was kept before and what this run compiled: a line that says where each begins and ends, then the caches. */
function bundled() {
  const parts = Object.entries(kept)
    .filter(([file]) => !scripts[file])
    .map(([file, [start, end]]) => [file, bundle.subarray(start, end)]);
  for (const file of Object.keys(scripts)) parts.push([file, scripts[file].createCachedData()]);
  // Room for its name and two numbers each.
  const head = (parts.reduce((length, [file]) => length + file.length + 32, 8) | 4095) + 1;
  const places = {};
  let at = head;
  for (const [file, bytes] of parts) {
    places[file] = [at, at + bytes.length];
    at += (bytes.length + 7) & ~7;
  }
  const all = Buffer.alloc(at);
  all.write(`${JSON.stringify(places)}\n`);
  for (const [file, bytes] of parts) all.set(bytes, places[file][0]);
  return all;
}

/** A folder that cannot be written only means a slower start. */
function fill(folder, bytes) {
  const fresh = `${folder}/${name}.${pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true });
    // Synced: V8 trusts what it reads, and a loss of power must not leave half of it.
    fs.writeFileSync(fresh, bytes, { flag: 'wx', flush: true });
    fs.renameSync(fresh, `${folder}/${name}`);
    forgetOthers(`${folder}/..`);
    return true;
  } catch {
    fs.rmSync(fresh, { force: true });
    return false;
  }
}

/** Caches of builds that are gone. */
function forgetOthers(folder) {
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
