// `npm run test:peers`: lets other task tools read our exports, changes something in them, and imports it back. It installs Backlog.md and
// Task Master from npm (1.2 GB) and Taskwarrior by apt-get where `task` is missing; it is therefore not part of `npm test`. Beads is not
// tested: its npm package downloads the program from GitHub.
//   npm run test:peers -- backlog          only this tool
//   npm run test:peers -- --record         writes test/peers/recorded, which `npm test` reads instead of the tools
// CLEO_PEERS_DIR is the folder of the installed tools; it is reused. The default is in the temporary folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const versions = JSON.parse(readFileSync(join(root, 'test', 'peers', 'versions.json'), 'utf8'));
const words = process.argv.slice(2);
const named = words.filter((word) => word in versions);
const tools = named.length > 0 ? named : Object.keys(versions);
const vitestArguments = words.filter((word) => word !== '--record' && !(word in versions));
const folder = resolve(process.env.CLEO_PEERS_DIR ?? join(tmpdir(), 'cleo-test-peers'));

const programs = Object.fromEntries(tools.map((name) => [name, install(name, versions[name])]));
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'peers', ...vitestArguments],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CLEO_PEERS: JSON.stringify(programs),
      CLEO_PEERS_RECORD: words.includes('--record') ? '1' : '',
    },
  },
);
process.exitCode = status ?? 1;

/** Returns the path of the program, which is installed unless this version is there. */
function install(name, peer) {
  return peer.apt ? installSystemPackage(peer) : installPackage(name, peer);
}

function installSystemPackage({ command, apt }) {
  const isInstalled = () => spawnSync(command, ['--version'], { encoding: 'utf8' }).status === 0;
  if (isInstalled()) return command;
  process.stdout.write(`> apt-get install ${apt}\n`);
  const runApt = (...words) => spawnSync('apt-get', words, { encoding: 'utf8' });
  let { status: code, stderr } = runApt('install', '-y', apt);
  // A fresh image has no list of packages.
  if (code !== 0 && runApt('update').status === 0) ({ status: code, stderr } = runApt('install', '-y', apt));
  if (code !== 0 || !isInstalled()) throw new Error(`cannot install ${apt}; install it by hand: ${stderr ?? ''}`);
  return command;
}

function installPackage(name, { command, package: packageName, version }) {
  const place = join(folder, name);
  const program = join(place, 'node_modules', '.bin', command);
  const wanted = `${JSON.stringify({ private: true, dependencies: { [packageName]: version } })}\n`;
  const stamp = join(place, 'installed.json');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return program;
  process.stdout.write(`> npm install ${packageName}@${version}\n`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), wanted);
  const { status: code, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: place,
    encoding: 'utf8',
  });
  if (code !== 0) throw new Error(`cannot install ${packageName}@${version}: ${stderr}`);
  writeFileSync(stamp, wanted);
  return program;
}
