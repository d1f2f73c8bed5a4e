// Runs everyday commands in this process and keeps what V8 compiled for them, so that no user's command compiles it again.
const fs = require('node:fs');
const { join } = require('node:path');
const vm = require('node:vm');

const dist = process.argv[2];
const loader = fs.readFileSync(join(dist, 'cleo.js'), 'utf8');
const files = JSON.parse(/const files = (\{.*\});/.exec(loader)[1]);
const build = /const build = '(\w+)';/.exec(loader)[1];
const caches = join(dist, 'cache', `${build}-${process.version}-${process.arch}`);
const scripts = new Map();
const everyday = [
  ['init'],
  ['add', 'Write the parser'],
  ['add', 'Test it', '--depends', 'T001'],
  ['show', 'T001'],
  ['find', 'parser'],
  ['exists', 'T001'],
  ['next'],
  ['list'],
  ['start', 'T001'],
  ['complete', 'T001'],
  ['update', 'T002', '--notes', 'a note'],
  ['show', 'T9'],
  ['ready'],
  ['tree'],
  ['log'],
];

function scriptOf(file) {
  if (!scripts.has(file)) scripts.set(file, new vm.Script(fs.readFileSync(join(dist, file), 'latin1'), { filename: join(dist, file) }));
  return scripts.get(file).runInThisContext();
}

function run(argv) {
  return new Promise((done) => {
    let core = {};
    const loaded = {};
    const load = (id) => {
      if (core[id]) return core[id];
      if (!files[id]) return require(id);
      if (!loaded[id]) {
        loaded[id] = { exports: {} };
        scriptOf(files[id])(load, loaded[id], loaded[id].exports, join(dist, 'cleo.js'));
      }
      return loaded[id].exports;
    };
    process.argv = [process.execPath, join(dist, 'cleo.js'), ...argv];
    process.exit = done;
    scriptOf('core.js')(load, { exports: {} }, {}, join(dist, 'cleo.js'), (table) => {
      core = table;
    });
  });
}

(async () => {
  const { exit } = process;
  for (const argv of everyday) await run(argv);
  fs.mkdirSync(caches, { recursive: true });
  for (const [file, script] of scripts) fs.writeFileSync(join(caches, `${file.replace('/', '-')}.bin`), script.createCachedData());
  exit(0);
})();
