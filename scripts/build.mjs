// A command loads two files: the core (what every command needs, in one file) and its own part. Each further file costs
// a cold start about a hundredth, ES modules a fifth, which is why this is CommonJS and why parts carry what they share
// with each other rather than load it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeIndex } from './index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, process.argv[2] ?? 'dist');
/** A text of more than 128 KiB is no load on the space where V8 makes new objects; one that is a little shorter fills a tenth of it for
 *  nothing, and brings the first garbage collection into a start that would have been over before. */
const apart = 132 * 1024;
const half = 64 * 1024;
/** In this order in one project. Each first word gets its code cache, with what all its lines compile. */
const everyday = [
  'init',
  'add Write',
  'add Test --depends T001',
  'show T001',
  'find Write',
  'find Wirte',
  'memory observe Write',
  'memory find Write',
  'memory find Wirte',
  'exists T001',
  'list',
  'start T001',
  'update T001 --notes begun',
  'complete T001',
  'skill run yes',
  'mcp',
];
/** A client that tries the newest revision, goes on in the one before, and asks for a task. */
const clientInfo = { name: 'build', version: '0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const conversation = [
  { id: 1, method: 'server/discover', params: { _meta: envelope } },
  { id: 2, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 3, method: 'tools/list' },
  {
    id: 4,
    method: 'tools/call',
    params: { name: 'cleo_query', arguments: { domain: 'tasks', operation: 'show', params: { taskId: 'T001' } } },
  },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');
const name = (path) => relative(root, path).replaceAll('\\', '/');
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minify: true,
  write: false,
  metafile: true,
  logLevel: 'error',
  external: ['@photostructure/sqlite'],
  // The CommonJS build of jsonc-parser hides its `require` calls from esbuild.
  mainFields: ['module', 'main'],
  alias: { '@modelcontextprotocol/server/_shims': join(root, 'src', 'surfaces', 'mcp', 'sdk-shims.ts') },
  // Left as a literal, a regular expression that nobody uses is dropped; as `new RegExp` every start would build it.
  supported: { 'dynamic-import': false, 'regexp-unicode-property-escapes': true },
  define: { 'import.meta.filename': '__filename' },
};

/** Dynamic imports become `part:` files; in parts, imports of core modules become `core:` references. */
const linker = (core, found) => ({
  name: 'linker',
  setup(pass) {
    pass.onResolve({ filter: /^(\.\.?\/|#)/ }, (args) => {
      const path = args.path.startsWith('#') ? join(root, 'src', args.path.slice(1)) : resolve(args.resolveDir, args.path);
      if (args.kind === 'dynamic-import') {
        found.parts.add(name(path));
        return { path: `part:${name(path)}`, external: true };
      }
      if (!core?.has(name(path)) || args.importer === '' || args.namespace !== 'file') return undefined;
      found.core.add(name(path));
      return { path: `core:${name(path)}`, external: true };
    });
    // Which operation is loaded is known only when it is called: its part is asked for by name.
    pass.onLoad({ filter: /core[\\/]registry\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/await import\(.*?\)/, `require('part:src/' + file)`);
      if (contents === text) throw new Error(`${path} no longer loads operations in the way the build replaces`);
      return { contents, loader: 'ts' };
    });
  },
});

const { words, files } = await writeIndex();

const digest = createHash('sha256');
const parts = new Set(files);
const packages = new Set();
const inCore = new Set();
const survey = await build({ ...common, entryPoints: ['src/cli.ts'], plugins: [linker(undefined, { parts, core: inCore })] });
bundled(survey);
const core = new Set(Object.keys(survey.metafile.inputs).filter((path) => path.startsWith('src/')));

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, 'parts'), { recursive: true });
/** As the loader finds it. */
const fileOf = (part) =>
  `${part
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-')}.js`;
for (const part of parts) {
  // A set grows while it is walked: parts of parts are built too.
  if (core.has(part)) {
    inCore.add(part);
    continue;
  }
  const built = await build({ ...common, entryPoints: [part], plugins: [linker(core, { parts, core: inCore })] });
  bundled(built);
  write(join('parts', fileOf(part)), wrapped(built.outputFiles[0].text));
}

// What parts reach for is kept in a table; the rest of the core stays private to its file.
const table = await exportsOf([...inCore].sort());
const built = await build({
  ...common,
  stdin: {
    contents: [
      ...table.map(({ path, names }, i) => `import { ${names.map((name) => `${name} as m${i}_${name}`).join(', ')} } from './${path}';`),
      `cleoCore({${table.map(({ path, names }, i) => `'${path}': () => ({ ${names.map((name) => `${name}: m${i}_${name}`).join(', ')} })`).join(',')}});`,
      `import { main } from './src/main.ts';`,
      'void main();',
    ].join('\n'),
    resolveDir: root,
    loader: 'ts',
  },
  plugins: [linker(undefined, { parts, core: new Set() })],
});
write('core.js', wrapped(built.outputFiles[0].text, ',cleoCore'));
writeFileSync(
  join(dist, 'cleo.js'),
  readFileSync(join(root, 'scripts', 'loader.cjs'), 'utf8').replace('__BUILD__', digest.digest('hex').slice(0, 12)),
);
writeFileSync(join(dist, 'words.json'), JSON.stringify(words));
writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
writeFileSync(join(dist, 'THIRD-PARTY.txt'), licences());
chmodSync(join(dist, 'cleo.js'), 0o755);
await warm();

/** The names that each of these files exports. A part is handed an object of them when it asks: `import *` would make all of them, with a
 *  function for each name, at every start. */
async function exportsOf(paths) {
  const { absWorkingDir, target, logLevel } = common;
  const { metafile } = await build({
    absWorkingDir,
    target,
    logLevel,
    entryPoints: paths,
    outdir: dist,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const names = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]));
  return paths.map((path) => ({ path, names: names.get(path) }));
}

/** Notes whose code went into a file. */
function bundled({ metafile }) {
  for (const path of Object.keys(metafile.inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (found) packages.add(found);
  }
}

/** What those who wrote it ask to be passed on with it. */
function licences() {
  const all = [...packages].sort().map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  return `The files of this folder contain code of these packages.\n\n${all.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function write(file, text) {
  const filled = text.length > half ? text.padEnd(apart) : text;
  digest.update(filled);
  writeFileSync(join(dist, file), filled);
}

/** A file as the loader calls it. */
function wrapped(text, more = '') {
  // One byte a character keeps the source half as big in memory; esbuild escapes strings, but leaves regular expressions as they are.
  const foreign = /[^\0-\x7f].{0,60}/.exec(text);
  if (foreign) throw new Error(`a regular expression holds a character that has to be escaped: ${foreign[0]}`);
  return `(function(require,module,exports,__filename${more}){${text}})\n`;
}

/** Runs the everyday commands once, so that the code cache is there before the first user's command. */
async function warm() {
  const project = mkdtempSync(join(tmpdir(), 'cleo-build-'));
  const env = { PATH: process.env.PATH, HOME: project, CLEO_HOME: join(project, 'home'), CLEO_WARMS: '1' };
  // A skill that does nothing.
  mkdirSync(join(project, 'skills', 'yes'), { recursive: true });
  writeFileSync(join(project, 'skills', 'yes', 'run'), '#!/bin/sh\n', { mode: 0o755 });
  try {
    for (const command of everyday) {
      const child = spawn(process.execPath, [join(dist, 'cleo.js'), ...command.split(' ')], {
        cwd: project,
        env,
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      child.stdin.on('error', () => {}).end(command === 'mcp' ? conversation : '');
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`cleo ${command} ended with ${code}`);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
