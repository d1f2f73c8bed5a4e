// `npm run test:clients`: plays a day with real agent clients. It installs Claude Code, Codex, Gemini CLI and OpenCode from npm (1.1 GB)
// and is therefore not part of `npm test`. The clients are real; a scripted stand-in on loopback replaces the model API.
//   npm run test:clients -- codex gemini   only these clients
//   npm run test:clients -- -t restart     only these tests; other options are passed to vitest as well
//   npm run test:clients -- --keep         preserves the home folders, the projects and the transcript
// CLEO_CLIENTS_DIR is the folder of the installed clients; it is reused. The default is in the temporary folder.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = JSON.parse(readFileSync(join(root, 'test', 'clients', 'versions.json'), 'utf8'));
const words = process.argv.slice(2);
const shouldKeep = words.includes('--keep');
const named = words.filter((word) => word in versions);
const vitestArguments = words.filter((word) => word !== '--keep' && !(word in versions));
const clients = named.length > 0 ? named : Object.keys(versions);

if (process.platform === 'win32') {
  process.stderr.write('test:clients needs process groups, which Windows does not have; use WSL\n');
  process.exit(1);
}

const folder = resolve(process.env.CLEO_CLIENTS_DIR ?? join(tmpdir(), 'cleo-test-clients'));
const reports = mkdtempSync(join(tmpdir(), 'cleo-clients-report-'));
for (const name of clients) install(name, versions[name]);

const vitest = spawn(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project',
    'clients',
    ...clients.map((name) => `test/clients/${name}.test.ts`),
    ...vitestArguments,
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CLEO_CLIENTS_DIR: folder, CLEO_CLIENTS_REPORTS: reports, CLEO_CLIENTS_KEEP: shouldKeep ? '1' : '' },
  },
);
// The tests stop their clients; this process only has to wait for that.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => vitest.kill('SIGINT'));
const [exitCode] = await once(vitest, 'exit');
for (const name of clients) printTranscript(name);
printFigures();
if (shouldKeep) process.stdout.write(`transcripts: ${reports}\n`);
else rmSync(reports, { recursive: true, force: true });
process.exitCode = exitCode ?? 1;

/** Installs a client into a folder of its own, unless that version is there. */
function install(name, { package: packageName, version }) {
  const place = join(folder, name);
  const wanted = `${JSON.stringify({ private: true, dependencies: { [packageName]: version } })}\n`;
  const stamp = join(place, 'installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stdout.write(`> install ${packageName}@${version}\n`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), wanted);
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: place, encoding: 'utf8' });
  const executable = join(place, 'node_modules', '.bin', name);
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const reported = status === 0 ? spawnSync(executable, ['--version'], { env: { ...env, HOME: place }, encoding: 'utf8' }) : undefined;
  if (!reported?.stdout?.includes(version))
    throw new Error(`cannot install ${packageName}@${version}: ${stderr}${reported?.stdout ?? ''}${reported?.stderr ?? ''}`);
  writeFileSync(stamp, wanted);
}

function printTranscript(name) {
  const file = join(reports, `${name}.txt`);
  if (existsSync(file)) process.stdout.write(`\n${versions[name].package} ${versions[name].version}\n${readFileSync(file, 'utf8')}`);
}

/** Prints the figures of all clients: one row for each figure, one column for each client. */
function printFigures() {
  const rows = new Map();
  for (const file of readdirSync(reports).filter((each) => each.endsWith('.jsonl')))
    for (const line of readFileSync(join(reports, file), 'utf8').trim().split('\n')) {
      const { client, figure, value } = JSON.parse(line);
      rows.set(figure, { ...rows.get(figure), [client]: value });
    }
  if (rows.size === 0) return;
  const table = [['', ...clients], ...[...rows].map(([figure, values]) => [figure, ...clients.map((name) => String(values[name] ?? '-'))])];
  const widths = table[0].map((_, at) => Math.max(...table.map((row) => row[at].length)));
  process.stdout.write(
    `\n${table
      .map((row) =>
        row
          .map((cell, at) => cell.padEnd(widths[at]))
          .join('  ')
          .trimEnd(),
      )
      .join('\n')}\n`,
  );
}
