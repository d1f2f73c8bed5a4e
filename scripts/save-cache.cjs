// Stores V8's code cache for the next start of the same command. The loader requires this file when a start has compiled code.
const fs = require('node:fs');

/** Stores the code that was cached before and the newly compiled `scripts`, next to the code or else in the user's folder. */
module.exports = ({ cached, scripts, learntRuns, word, name, key, sharedFolder, home }) => {
  // A server keeps loading parts for its clients. They must not slow down its next start.
  const isLarge = Object.keys({ ...cached, ...scripts }).length > 24;
  if (isLarge && (learntRuns > 0 || !scripts['core.js'])) return;
  const isCommand = JSON.parse(fs.readFileSync(`${__dirname}/words.json`, 'utf8')).includes(word);
  const file = isCommand ? name : '-.bin';
  // A word that is no command uses the cache of all such words, and would write it again at each start.
  if (file !== name && Object.keys(scripts).every((part) => cached[part])) return;
  // After the everyday commands that the build runs, there is nothing left to learn.
  const bytes = packCaches(cached, scripts, process.env.CLEO_WARMS || isLarge ? 3 : learntRuns + 1);
  if (writeCache(sharedFolder, file, key, bytes) || !home || !process.getuid) return;
  writeCache(`${home}/cache/${key}`, file, key, bytes);
};

/** Packs the caches twice: a line of JSON with the length, the number of runs and the positions, then the caches. */
function packCaches(cached, scripts, runs) {
  const parts = Object.keys(cached)
    .filter((file) => !scripts[file])
    .map((file) => [file, cached[file]]);
  for (const file of Object.keys(scripts)) parts.push([file, scripts[file].createCachedData()]);
  // Each entry has a name and two numbers.
  const head = (parts.reduce((length, [file]) => length + file.length + 30, 60) | 4095) + 1;
  const positions = {};
  let at = head;
  for (const [file, bytes] of parts) {
    positions[file] = [at, at + bytes.length];
    at += (bytes.length + 7) & ~7;
  }
  const all = Buffer.alloc(2 * at);
  all.write(`${JSON.stringify({ length: at, runs, positions })}\n`);
  for (const [file, bytes] of parts) all.set(bytes, positions[file][0]);
  all.copyWithin(at, 0, at);
  return all;
}

/** Writes the cache. If the folder is read-only, the next start is slower. */
function writeCache(folder, name, key, bytes) {
  const fresh = `${folder}/${name}.${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true });
    // Flushed to disk, because V8 trusts the cache and a power failure must not leave half of it.
    fs.writeFileSync(fresh, bytes, { flag: 'wx', flush: true });
    fs.renameSync(fresh, `${folder}/${name}`);
    removeOldCaches(`${folder}/..`, key);
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
function removeOldCaches(folder, key) {
  const build = key.slice(0, 12);
  for (const other of fs.readdirSync(folder))
    if (/^[0-9a-f]{12}-v/.test(other) && !other.startsWith(build)) fs.rmSync(`${folder}/${other}`, { recursive: true, force: true });
}
