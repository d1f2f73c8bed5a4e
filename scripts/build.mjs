// A command loads two files: the core, which every command needs, and its own part. Each further file costs a cold start
// about 1 %, and ES modules cost 20 %. The output is therefore CommonJS, and parts duplicate the code that they share.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { buildWeb, listWebPackages } from './build-web.mjs';
import { createExitLibrary, exitLibrary } from './exit-library.mjs';
import { writeIndex } from './index.mjs';
import { createSbom } from './sbom.mjs';
import { lazyResults, splitResult, toResultPath } from './split-result.mjs';
import { warmUp } from './warm-up.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, process.argv[2] ?? 'dist');
/** V8 allocates a string of more than 128 KiB outside of its young generation. A slightly shorter one fills a tenth of it and triggers
 *  the first garbage collection during the start, so the long files of everyday commands are padded to this size. */
const paddedLength = 132 * 1024;
const paddedFiles = ['core.js', join('parts', 'runs-operations-skills-run.js')];
/** Packages that many parts use. Each is a part of its own, because copies of them were a sixth of the package. */
const sharedPackages = ['jsonc-parser', 'marked', 'smol-toml', 'yaml'];
/** The schemas of ids and choices are in the core: copies of them in nearly every part would take 0.2 MB. */
const idSchemas = 'src/core/model/scalars.ts';
/** The schemas of texts are in the parts that use them, because reads need none of them. */
const textSchemas = 'src/core/model/texts.ts';
/** Functions of valibot that most parts use. They are in the core: copies of them would take 0.4 MB. */
const frequentSchemas = ['array', 'literal', 'number', 'record', 'union'];
const name = (path) => relative(root, path).replaceAll('\\', '/');
const loadResult = (path) => `require('part:${toResultPath(name(path))}')`;
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
  // An unused regular expression literal is dropped; `new RegExp` would run at every start.
  supported: { 'dynamic-import': false, 'regexp-unicode-property-escapes': true },
  // Code of the native build is left out.
  define: { 'import.meta.filename': '__filename', 'process.versions.bun': 'undefined' },
};

/** Turns dynamic imports into `part:` files and, in parts, imports of core modules into `core:` references and imports of shared packages
 *  into `part:` files. The functions of valibot that the core contains are taken from there. */
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
    if (core) {
      pass.onResolve({ filter: new RegExp(`^(${sharedPackages.join('|')})$`) }, ({ path }) => {
        found.packages.add(path);
        return { path: `part:src/packages/${path}.ts`, external: true };
      });
      pass.onResolve({ filter: /^valibot$/ }, ({ importer }) =>
        importer.includes('node_modules') ? undefined : { path: 'valibot', namespace: 'core-valibot' },
      );
      pass.onResolve({ filter: /^core:valibot$/ }, ({ path }) => ({ path, external: true }));
      pass.onResolve({ filter: /^part:/ }, ({ path }) => ({ path, external: true }));
      pass.onLoad({ filter: /[\\/]operations[\\/][\w-]+\.ts$/ }, ({ path }) =>
        lazyResults.includes(name(path)) ? { contents: splitResult(path, loadResult(path)).operation, loader: 'ts' } : undefined,
      );
      // Schemas that the part does not use are dropped: esbuild cannot know that a function of the core has no side effect.
      pass.onLoad({ filter: /[\\/](model|operations[\\/]shared)[\\/][\w-]+\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const names = listSchemaFunctions(text);
        if (names.length === 0) return undefined;
        return { contents: text.replace(new RegExp(`(?<![\\w.'])(${names.join('|')})\\(`, 'g'), '/* @__PURE__ */ $1('), loader: 'ts' };
      });
      pass.onLoad({ filter: /./, namespace: 'core-valibot' }, () => ({
        contents: `export { ${[...coreSchemas].join(', ')} } from 'core:valibot'; export * from '${valibotPath}';`,
        resolveDir: root,
      }));
    }
    // The registry loads an operation by name at run time.
    pass.onLoad({ filter: /core[\\/]registry\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/await import\(.*?\)/, `require('part:src/' + file)`);
      if (contents === text) throw new Error(`${path} no longer contains the import that the build replaces`);
      return { contents, loader: 'ts' };
    });
  },
});

const { words, files } = await writeIndex();

const digest = createHash('sha256');
const parts = new Set(files);
const packages = new Set();
const usedPackages = new Set();
const inCore = new Set();
const valibotPath = name(join(root, 'node_modules', 'valibot', 'dist', 'index.mjs')).replace(/^/, './');
const survey = await build({ ...common, entryPoints: ['src/cli.ts'], plugins: [linker(undefined, { parts, core: inCore })] });
recordPackages(survey);
const core = new Set([idSchemas, ...Object.keys(survey.metafile.inputs).filter((path) => path.startsWith('src/'))]);
const coreSchemas = listCoreSchemas();

// The page stays until `buildWeb` replaces it: it is built again only if its sources changed.
mkdirSync(dist, { recursive: true });
for (const entry of readdirSync(dist)) if (!entry.startsWith('web')) rmSync(join(dist, entry), { recursive: true, force: true });
mkdirSync(join(dist, 'parts'), { recursive: true });
const webFolder = join(dist, 'web');
await buildWeb(webFolder);
for (const path of listWebPackages(webFolder)) packages.add(path);
/** Returns the file name of a part, as the loader computes it. */
const toPartFile = (part) =>
  `${part
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-')}.js`;
for (const part of parts) {
  // Building a part adds its own parts to the set.
  if (core.has(part)) {
    inCore.add(part);
    continue;
  }
  const built = await build({
    ...common,
    stdin: { contents: await createPartEntry(part), resolveDir: root },
    plugins: [linker(core, { parts, core: inCore, packages: usedPackages })],
  });
  recordPackages(built);
  write(join('parts', toPartFile(part)), wrapModule(built.outputFiles[0].text));
}

for (const path of lazyResults) {
  const contents = `${splitResult(join(root, path), '').result}\ncleoModule.exports = { result };`;
  const built = await build({
    ...common,
    stdin: { contents, resolveDir: join(root, 'src', 'tasks', 'operations'), loader: 'ts' },
    plugins: [linker(core, { parts, core: inCore, packages: usedPackages })],
  });
  write(join('parts', toPartFile(toResultPath(path))), wrapModule(built.outputFiles[0].text));
}

for (const one of usedPackages) {
  const built = await build({ ...common, stdin: { contents: `export * from '${one}';`, resolveDir: root } });
  recordPackages(built);
  write(join('parts', toPartFile(`src/packages/${one}.ts`)), wrapModule(built.outputFiles[0].text));
}

// The core exports a table of the modules that parts import; everything else stays private.
const table = [...(await listExports([...inCore].sort())), { path: 'valibot', names: coreSchemas }];
const built = await build({
  ...common,
  stdin: {
    contents: [
      ...table.map(
        ({ path, names }, i) =>
          `import { ${names.map((name) => `${name} as m${i}_${name}`).join(', ')} } from '${path.startsWith('src/') ? `./${path}` : path}';`,
      ),
      `cleoCore({${table.map(({ path, names }, i) => `'${path}': () => ({ ${names.map((name) => `${name}: m${i}_${name}`).join(', ')} })`).join(',')}});`,
      `import { main } from './src/main.ts';`,
      'void main();',
    ].join('\n'),
    resolveDir: root,
    loader: 'ts',
  },
  plugins: [linker(undefined, { parts, core: new Set() })],
});
write('core.js', wrapModule(built.outputFiles[0].text, ',cleoCore'));
const loader = await minifyScript('loader.cjs');
const cacheWriter = await minifyScript('save-cache.cjs');
const buildId = digest.update(loader).update(cacheWriter).digest('hex').slice(0, 12);
writeFileSync(join(dist, 'cleo.js'), loader.replace('__BUILD__', buildId));
writeFileSync(join(dist, 'save-cache.js'), cacheWriter);
writeFileSync(join(dist, exitLibrary), createExitLibrary());
writeFileSync(join(dist, 'words.json'), JSON.stringify(words));
writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
writeFileSync(join(dist, 'THIRD-PARTY.txt'), formatLicenses());
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(createSbom(root, [...packages].sort()), undefined, 2)}\n`);
chmodSync(join(dist, 'cleo.js'), 0o755);
// The code cache exists before the first command of a user.
await warmUp([process.execPath, join(dist, 'cleo.js')], () => ({ CLEO_WARMS: '1' }), { isGraded: true });

/** Returns the source of a part that exports what the file exports. An entry point would get half a kilobyte of helpers for that. */
async function createPartEntry(part) {
  if (/^export \*/m.test(readFileSync(join(root, part), 'utf8'))) return `export * from './${part}';`;
  const [{ names }] = await listExports([part]);
  return `import { ${names.join(', ')} } from './${part}';\ncleoModule.exports = { ${names.join(', ')} };`;
}

/** Lists the exports of each file. The core creates the object of a module on demand; `import *` would create all of them at every
 *  start. */
async function listExports(paths) {
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

/** Lists the functions of valibot that the core contains: those that it imports, and those of most parts. */
function listCoreSchemas() {
  const names = [...core, textSchemas].flatMap((path) => listSchemaFunctions(readFileSync(join(root, path), 'utf8')));
  return [...new Set([...names, ...frequentSchemas])].sort();
}

/** Lists the functions of valibot that a source imports. */
function listSchemaFunctions(text) {
  const lists = [...text.matchAll(/^import \{([^}]*)\} from 'valibot';/gm)].flatMap(([, list]) => list.split(','));
  return lists.map((one) => one.trim()).filter((one) => /^\w+$/.test(one));
}

/** Records the packages whose code is in a bundle. */
function recordPackages({ metafile }) {
  for (const path of Object.keys(metafile.inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (found) packages.add(found);
  }
}

/** Formats the licenses of all bundled packages. */
function formatLicenses() {
  const all = [...packages].sort().map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  return `The files in this folder contain code of these packages.\n\n${all.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function write(file, text) {
  const padded = paddedFiles.includes(file) ? text.padEnd(paddedLength) : text;
  digest.update(padded);
  writeFileSync(join(dist, file), padded);
}

async function minifyScript(file) {
  const text = readFileSync(join(root, 'scripts', file), 'utf8');
  return (await transform(text, { minify: true, target: common.target, platform: common.platform })).code;
}

/** Wraps a file in the function that the loader calls. */
function wrapModule(text, more = '') {
  // A source with one byte per character takes half the memory. esbuild escapes strings, but not regular expressions.
  const foreign = /[^\0-\x7f].{0,60}/.exec(text);
  if (foreign) throw new Error(`a regular expression contains a character that must be escaped: ${foreign[0]}`);
  // esbuild copies the exports of a part at each `import()`, for a default export that no part has.
  const direct = text.replace(/(\.then\(\(\) ?=> ?)[\w$]+\((require\("part:[^"]+"\)), ?1\)/g, '$1$2');
  // One function loads parts. With one for each `import()`, the core would be 2 % longer.
  const short = direct.replace(/Promise\.resolve\(\)\.then\(\(\)=>require\(("part:[^"]+")\)\)/g, 'cleoPart($1)');
  const loader = short === direct ? '' : 'const cleoPart=async part=>require(part);';
  const body = short.replace('cleoModule.exports', 'module.exports').replace(/^"use strict";/, '');
  return `(function(require,module,exports,__filename${more}){"use strict";${loader}${body}})\n`;
}
