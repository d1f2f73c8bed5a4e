// Measures what a user gets: `npm pack`, `npm install --ignore-scripts` in an empty folder, then two commands.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export function measureInstall() {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-install-'));
  try {
    // The build exists already; `prepare` would repeat it.
    const [packed] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root));
    const app = join(folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true}\n');
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', join(folder, packed.filename)], app);
    const modules = join(app, 'node_modules');
    const packages = listPackages(modules).filter((name) => name !== 'cleo');
    const megabytes = measureSize(modules) / 1e6;
    return { packages, megabytes, first: measureFirstTask(join(modules, '.bin', 'cleo'), folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the commands from an empty folder to the first task, and measures the size of an empty `.cleo`. */
function measureFirstTask(cleo, folder) {
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: process.env.PATH, HOME: folder };
  const call = (...args) => spawnSync(cleo, args, { cwd: project, env, encoding: 'utf8' });
  const init = call('init');
  const kilobytes = init.status === 0 ? measureSize(join(project, '.cleo')) / 1024 : `exit ${init.status}`;
  const added = call('add', 'Write the parser');
  const isThere = added.status === 0 && JSON.parse(added.stdout).task.id === 'T001';
  return { kilobytes, commands: isThere ? 2 : `exit ${added.status}` };
}

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args[0]} exited with ${status}: ${stderr}`);
  return stdout;
}

function listPackages(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name]))
    .flatMap((name) => {
      const nested = join(modules, name, 'node_modules');
      return [name, ...(lstatSync(nested, { throwIfNoEntry: false }) ? listPackages(nested) : [])];
    });
}

export function measureSize(path) {
  const found = lstatSync(path);
  return found.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + measureSize(join(path, name)), 0) : found.size;
}
