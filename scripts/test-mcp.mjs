// `npm run test:mcp`: what others have written to judge MCP servers, run against ours. Not part of `npm test`, because it
// installs them, and a Node that is new enough for them, into a scratch folder first.
//   production   `cleo serve` by the official conformance suite, with a baseline of what does not apply to it
//   fixtures     the suite's own tools behind our HTTP server, full marks, in both revisions
//   inspector    the official inspector lists and calls our tools over standard input and output
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
// The released suite knows the revisions to 2025-11-25; the one that knows 2026-07-28 has no release yet.
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
  run(process.execPath, [cleo, 'init'], project);
  run(process.execPath, [cleo, 'config', 'set', 'serve.callsPerMinute', '100000'], project);
  run(process.execPath, [cleo, 'add', 'Write the parser'], project);
  const fixtures = await bundled();
  await judged('production', [cleo, 'serve', '--port', '0', '--json'], project, 'baseline');
  await judged('fixtures', [fixtures], project, 'fixtures');
  rmSync(fixtures);
  inspected(project);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(failed === 0 ? 'test:mcp: all passed\n' : `test:mcp: ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Starts a server and has the suite judge it, once for each revision. */
async function judged(name, argv, cwd, baseline) {
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
      spawnSync(node22(), [program, 'server', '--url', mcp, ...args, ...known], { env, cwd: folder, encoding: 'utf8' }),
    );
  }
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  if (code !== 0) report(`${name}: the server`, { status: code ?? 1, stdout: '', stderr: '' });
}

function inspected(cwd) {
  const program = join(scratch, 'inspector', 'node_modules', '.bin', 'mcp-inspector');
  const inspect = (...args) =>
    spawnSync(node22(), [program, '--cli', process.execPath, cleo, 'mcp', ...args], {
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
    `${isGood ? 'ok  ' : 'FAIL'} ${what}${isGood ? scoreOf(stdout) : `\n${stdout.slice(-6000)}\n${stderr.slice(-3000)}`}\n`,
  );
}

/** How many of the scenarios that count for the revision passed. */
function scoreOf(stdout) {
  const [, summary = '', unscored = ''] = /=== SUMMARY ===([\s\S]*?)(?:Not scored([\s\S]*))?$/.exec(stdout) ?? [];
  const scenarios = [...summary.matchAll(/^([✓✗]) ([\w-]+):/gm)].filter(([, , name]) => !unscored.includes(` ${name} (`));
  return scenarios.length === 0 ? '' : `  ${scenarios.filter(([, mark]) => mark === '✓').length} of ${scenarios.length} scenarios`;
}

function node22() {
  const own = process.env.CLEO_NODE22 ?? join(scratch, 'node', 'node_modules', 'node', 'bin', 'node');
  return Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : own;
}

function install(name, packages) {
  if (name === 'node' && (node22() === process.execPath || process.env.CLEO_NODE22)) return;
  const place = join(scratch, name);
  const wanted = `${JSON.stringify({ private: true, dependencies: packages })}\n`;
  const stamp = join(place, 'installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), wanted);
  // Node's package finds the binary for this machine by a script; the others need none.
  run('npm', ['install', '--no-audit', '--no-fund', ...(name === 'node' ? [] : ['--ignore-scripts'])], place, process.env);
  writeFileSync(stamp, wanted);
}

/** The fixtures as one file, beside the modules it needs. */
async function bundled() {
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
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}: ${stderr}`);
}
