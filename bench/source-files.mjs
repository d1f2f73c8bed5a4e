// Lists the source files whose functions run in `construct run` of one skill: `node bench/source-files.mjs [--list]`, or in another command:
// `node bench/source-files.mjs skill run done`. The sources run unbundled, so that V8 reports each file by itself. Files that are only loaded,
// for a constant or a type, are counted apart.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { cleanEnv } from './measure.mjs';
import { recordTrust } from './stores.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');

/** Writes every source as a JavaScript module of its own. */
async function transpile(target) {
  const entryPoints = readdirSync(source, { recursive: true })
    .map((path) => String(path).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .map((path) => join(source, path));
  const toScript = {
    name: 'to-script',
    setup(pass) {
      pass.onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
        if (kind === 'entry-point' || path.endsWith('.json')) return undefined;
        if (!/^(\.|#)/.test(path)) return { path, external: true };
        return { path: toRelative(resolveDir, path).replace(/\.ts$/, '.js'), external: true };
      });
      // The registry loads an operation by name at run time.
      pass.onLoad({ filter: /core[\\/]registry\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(/import\(\/\*.*?\*\/ (`.*?`)\)/, "import(String($1).replace('.ts', '.js'))"),
        loader: 'ts',
      }));
    },
  };
  await build({
    entryPoints,
    outdir: join(target, 'src'),
    outbase: source,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [toScript],
  });
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'), 'junction');
}

function toRelative(folder, path) {
  if (!path.startsWith('#')) return path;
  const found = relative(folder, join(source, path.slice(1))).replaceAll('\\', '/');
  return found.startsWith('.') ? found : `./${found}`;
}

/** Creates a project with a construct of one skill. */
async function createProject(folder, script, env) {
  mkdirSync(join(folder, 'skills', 'done'), { recursive: true });
  writeFileSync(join(folder, 'skills', 'done', 'run'), '#!/bin/sh\nexec true\n', { mode: 0o755 });
  writeFileSync(
    join(folder, 'construct.yaml'),
    [
      'apiVersion: loa/v1',
      'kind: Construct',
      'metadata: { name: one, version: 1.0.0 }',
      'skills: [{ name: done, phase: only }]',
      'execution: { phases: [only] }',
      '',
    ].join('\n'),
  );
  run(folder, [script, 'init'], env);
  await recordTrust(folder, env.CLEO_HOME);
}

function run(cwd, argv, env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd, env: { ...cleanEnv, ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${argv.slice(1).join(' ')} exited with ${status}: ${stdout}${stderr}`);
}

/** Returns the paths of the sources that were loaded, and of those with a function that ran. */
function readCoverage(folder, sources) {
  const prefix = `file://${sources}/`;
  const loaded = new Set();
  const ran = new Set();
  for (const name of readdirSync(folder))
    for (const { url, functions } of JSON.parse(readFileSync(join(folder, name), 'utf8')).result) {
      if (!url.startsWith(prefix)) continue;
      const path = url.slice(prefix.length).replace(/\.js$/, '.ts');
      loaded.add(path);
      // The first function is the module itself.
      if (functions.slice(1).some(({ ranges: [whole] }) => whole.count > 0)) ran.add(path);
    }
  return { loaded, ran };
}

const words = process.argv.slice(2).filter((word) => word !== '--list');
const command = words.length > 0 ? words : ['construct', 'run', 'construct.yaml'];
const folder = mkdtempSync(join(tmpdir(), 'cleo-source-files-'));
try {
  const target = join(folder, 'code');
  await transpile(target);
  const env = { CLEO_HOME: join(folder, 'home') };
  const project = join(folder, 'project');
  const script = join(target, 'src', 'cli.js');
  await createProject(project, script, env);
  // The first run of a day prunes old runs.
  run(project, [script, ...command], env);
  const coverage = join(folder, 'coverage');
  run(project, [script, ...command], { ...env, NODE_V8_COVERAGE: coverage });
  const { loaded, ran } = readCoverage(coverage, join(target, 'src'));
  if (process.argv.includes('--list')) for (const path of [...ran].sort()) process.stdout.write(`${path}\n`);
  process.stdout.write(`${ran.size} source files with functions that run in ${command.join(' ')}; ${loaded.size} loaded\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
