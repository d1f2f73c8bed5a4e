// What a user gets: `npm pack`, then `npm install --ignore-scripts` of it in an empty folder, then two commands.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export function install() {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-install-'));
  try {
    // The build has just been made; `prepare` would make it again.
    const [packed] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root));
    const app = join(folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true}\n');
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', join(folder, packed.filename)], app);
    const modules = join(app, 'node_modules');
    const packages = packagesIn(modules).filter((name) => name !== 'cleo');
    const megabytes = sizeOf(modules) / 1e6;
    return { packages, megabytes, first: firstTask(join(modules, '.bin', 'cleo'), folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many commands it takes from an empty folder to a task, and how large `.cleo` is before it. */
function firstTask(cleo, folder) {
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  const call = (...args) => spawnSync(cleo, args, { cwd: project, env, encoding: 'utf8' });
  const made = call('init');
  const kilobytes = made.status === 0 ? sizeOf(join(project, '.cleo')) / 1024 : `exit ${made.status}`;
  const added = call('add', 'Write the parser');
  const isThere = added.status === 0 && JSON.parse(added.stdout).task.id === 'T001';
  return { kilobytes, commands: isThere ? 2 : `exit ${added.status}` };
}

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}

function packagesIn(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name]))
    .flatMap((name) => {
      const nested = join(modules, name, 'node_modules');
      return [name, ...(lstatSync(nested, { throwIfNoEntry: false }) ? packagesIn(nested) : [])];
    });
}

export function sizeOf(path) {
  const found = lstatSync(path);
  return found.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : found.size;
}
