#!/usr/bin/env node
'use strict';
// Runs core.js and, on demand, one file of parts/. Compiling them is a fifth of a cold start, so V8's code cache is kept:
// beside them, made by the build or by the first run under another Node; where that folder belongs to someone else, in the
// user's own. V8 itself only compares the length of a source, so the folder's name says which build it belongs to.
const fs = require('node:fs');
const vm = require('node:vm');
const files = __PARTS__;
const build = '__BUILD__';
const { env, pid } = process;
const key = `${build}-${process.version}-${process.arch}`;
const beside = `${__dirname}/cache/${key}`;
const home = env.CLEO_HOME || (env.HOME && `${env.HOME}/.cleo`);
const loaded = {};
let core = {};
let missing;

function compile(file) {
  const source = fs.readFileSync(`${__dirname}/${file}`, 'latin1');
  const name = `${file.replace('/', '-')}.bin`;
  const cachedData = read(`${beside}/${name}`) ?? (isOwn(`${home}/cache/${key}`) ? read(`${home}/cache/${key}/${name}`) : undefined);
  const script = new vm.Script(source, { filename: `${__dirname}/${file}`, cachedData });
  if (!cachedData || script.cachedDataRejected) keepAtExit(name, script);
  return script.runInThisContext();
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

/** Code is only taken from a folder of the user who runs it. */
function isOwn(folder) {
  const found = home && process.getuid && fs.statSync(folder, { throwIfNoEntry: false });
  return found && found.uid === process.getuid();
}

function keepAtExit(name, script) {
  missing ??= [];
  if (missing.length === 0) process.once('exit', keep);
  missing.push([name, script]);
}

function keep() {
  if (fill(beside) || !home || !process.getuid) return;
  fill(`${home}/cache/${key}`);
}

/** A folder that cannot be written only means a slower start. */
function fill(folder) {
  let fresh;
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (const [name, script] of missing) {
      fresh = `${folder}/${name}.${pid}`;
      fs.writeFileSync(fresh, script.createCachedData(), { flag: 'wx' });
      fs.renameSync(fresh, `${folder}/${name}`);
    }
    forgetOthers(`${folder}/..`);
    return true;
  } catch {
    if (fresh) fs.rmSync(fresh, { force: true });
    return false;
  }
}

/** Caches of builds that are gone. */
function forgetOthers(folder) {
  for (const name of fs.readdirSync(folder))
    if (/^[0-9a-f]{12}-v/.test(name) && !name.startsWith(build)) fs.rmSync(`${folder}/${name}`, { recursive: true, force: true });
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
