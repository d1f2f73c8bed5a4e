// `npm run test:mcp`: runs the official MCP test tools against our server. It is not part of `npm test`, because it installs
// them, and a Node version that they need, into a temporary folder.
//   production   the conformance suite against `cleo serve`, with a baseline of expected failures
//   fixtures     the suite's own tools behind our HTTP server, without failures, in both revisions
//   inspector    the official inspector lists and calls our tools over stdio
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const baselines = join(root, 'test', 'conformance');
// The released suite supports revisions up to 2025-11-25; only a pre-release supports 2026-07-28.
const tools = {
  released: { '@modelcontextprotocol/conformance': '0.1.16' },
  next: { '@modelcontextprotocol/conformance': '0.2.0-alpha.12' },
  inspector: { '@modelcontextprotocol/inspector': '2.12.0' },
  node: { node: '22' },
};
const scratch = join(tmpdir(), 'cleo-test-mcp');

const folder = mkdtempSync(join(tmpdir(), 'cleo-mcp-'));
const cleo = join(root, 'dist', 'cleo.js');
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const env = {
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith('CLEO_'))),
  CLEO_HOME: join(folder, 'home'),
};
let failed = 0;

try {
  for (const [name, packages] of Object.entries(tools)) install(name, packages);
  run(process.execPath, [join(root, 'scripts', 'build.mjs')], root);
  const project = join(folder, 'project');
  mkdirSync(project);
  // Only a person may change the configuration of a project, so the limit is set in the user's own.
  mkdirSync(env.CLEO_HOME);
  writeFileSync(join(env.CLEO_HOME, 'config.json'), JSON.stringify({ serve: { callsPerMinute: 100_000 } }));
  run(process.execPath, [cleo, 'init'], project);
  run(process.execPath, [cleo, 'add', 'Write the parser'], project);
  const fixtures = await bundleFixtures();
  await runSuite('production', [cleo, 'serve', '--port', '0', '--json'], project, 'baseline');
  await runSuite('fixtures', [fixtures], project, 'fixtures');
  rmSync(fixtures);
  runInspector(project);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(failed === 0 ? 'test:mcp: all passed\n' : `test:mcp: ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Starts a server and runs the suite against it, once for each revision. */
async function runSuite(name, argv, cwd, baseline) {
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { mcp } = JSON.parse(line).listening;
  for (const [suite, revision, args] of [
    ['released', '2025-11-25', []],
    ['next', '2025-11-25', ['--requirements', '2025-11-25']],
    ['next', '2026-07-28', ['--requirements', '2026-07-28']],
  ]) {
    const expected = join(baselines, `${baseline}-${revision}.yaml`);
    const known = existsSync(expected) ? ['--expected-failures', expected] : [];
    const program = join(scratch, suite, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
    report(
      `${name}, ${revision} (${suite})`,
      spawnSync(findNode22(), [program, 'server', '--url', mcp, ...args, ...known], { env, cwd: folder, encoding: 'utf8' }),
    );
  }
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  if (code !== 0) report(`${name}: the server`, { status: code ?? 1, stdout: '', stderr: '' });
}

function runInspector(cwd) {
  const program = join(scratch, 'inspector', 'node_modules', '.bin', 'mcp-inspector');
  const inspect = (...args) =>
    spawnSync(findNode22(), [program, '--cli', process.execPath, cleo, 'mcp', ...args], {
      cwd,
      env: { ...env, PATH: env.PATH },
      encoding: 'utf8',
    });
  const listed = inspect('--method', 'tools/list');
  report('inspector lists', listed, /"cleo_query"[\s\S]*"cleo_mutate"/);
  const called = inspect(
    '--method',
    'tools/call',
    '--tool-name',
    'cleo_query',
    '--tool-arg',
    'domain=tasks',
    'operation=show',
    'params={"taskId":"T1"}',
  );
  report('inspector calls', called, /Write the parser/);
}

function report(what, { status, stdout, stderr }, pattern) {
  const isGood = status === 0 && (!pattern || pattern.test(stdout));
  if (!isGood) failed++;
  process.stdout.write(
    `${isGood ? 'ok  ' : 'FAIL'} ${what}${isGood ? formatScore(stdout) : `\n${stdout.slice(-6000)}\n${stderr.slice(-3000)}`}\n`,
  );
}

/** Formats the number of passed scenarios of the revision. */
function formatScore(stdout) {
  const [, summary = '', unscored = ''] = /=== SUMMARY ===([\s\S]*?)(?:Not scored([\s\S]*))?$/.exec(stdout) ?? [];
  const scenarios = [...summary.matchAll(/^([✓✗]) ([\w-]+):/gm)].filter(([, , name]) => !unscored.includes(` ${name} (`));
  return scenarios.length === 0 ? '' : `  ${scenarios.filter(([, mark]) => mark === '✓').length} of ${scenarios.length} scenarios`;
}

function findNode22() {
  const own = process.env.CLEO_NODE22 ?? join(scratch, 'node', 'node_modules', 'node', 'bin', 'node');
  return Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : own;
}

function install(name, packages) {
  if (name === 'node' && (findNode22() === process.execPath || process.env.CLEO_NODE22)) return;
  const place = join(scratch, name);
  const wanted = `${JSON.stringify({ private: true, dependencies: packages })}\n`;
  const stamp = join(place, 'installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), wanted);
  // The `node` package downloads its binary in an install script; the other packages need no scripts.
  run('npm', ['install', '--no-audit', '--no-fund', ...(name === 'node' ? [] : ['--ignore-scripts'])], place, process.env);
  writeFileSync(stamp, wanted);
}

/** Bundles the fixtures into one file inside node_modules, where it finds its packages. */
async function bundleFixtures() {
  const outfile = join(root, 'node_modules', `.cleo-conformance-${process.pid}.mjs`);
  await build({
    entryPoints: [join(baselines, 'serve.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

function run(file, args, cwd, environment = env) {
  const { status, stderr } = spawnSync(file, args, { cwd, env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${status}: ${stderr}`);
}
