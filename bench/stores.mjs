// Projects of a given size. They are created once and cached in the temporary folder under the hash of the code that creates them.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Creates writable copies of projects with the sizes `{ name: [count, open] }`, in a folder that `remove` deletes. */
export async function openProjects(sizes) {
  const { fill, cache } = await loadFill();
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-'));
  const projects = {};
  for (const [name, [count, open]] of Object.entries(sizes)) {
    const project = join(cache, `${count}-${open}`);
    await createOnce(project, (temporary) => fill(temporary, count, open));
    projects[name] = join(folder, name);
    cpSync(project, projects[name], { recursive: true });
  }
  return { folder, projects, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a project whose log has `count` entries of one session. It is large and only read, so it is not copied. */
export async function openLog(count) {
  const { fillLog, loggedSession, cache } = await loadFill();
  const project = join(cache, `log-${count}`);
  await createOnce(project, (temporary) => fillLog(temporary, count));
  return { folder: project, session: loggedSession };
}

/** Opens a project with one plan of `count` tasks, each with `each` dependencies. It is only read, so it is not copied. */
export async function openPlan(count, each) {
  const { fillPlan, plannedSaga, cache } = await loadFill();
  const project = join(cache, `plan-${count}-${each}`);
  await createOnce(project, (temporary) => fillPlan(temporary, count, each));
  return { folder: project, root: plannedSaga };
}

/** Opens a project with `count` memory entries. It is only read, so it is not copied. */
export async function openMemory(count) {
  const { fillMemory, cache } = await loadFill();
  const project = join(cache, `memory-${count}`);
  await createOnce(project, (temporary) => fillMemory(temporary, count));
  return project;
}

/** Records that the user trusts a project, which is the ordinary case. CLEO_TRUST is for machines without a user. */
export async function recordTrust(folder, home) {
  const { trustProject } = await loadFill();
  await trustProject(folder, home);
}

async function createOnce(project, fill) {
  if (existsSync(project)) return;
  const temporary = mkdtempSync(`${project}-`);
  await fill(temporary);
  if (existsSync(project)) rmSync(temporary, { recursive: true });
  else renameSync(temporary, project);
}

async function loadFill() {
  const built = await build({
    entryPoints: [join(root, 'bench', 'fill.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@photostructure/sqlite'],
    logLevel: 'error',
  });
  const { text } = built.outputFiles[0];
  const cache = join(tmpdir(), `cleo-bench-stores-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);
  mkdirSync(cache, { recursive: true });
  removeOldCaches(cache);
  // Inside node_modules, where it finds the SQLite driver.
  const file = join(root, 'node_modules', `.cleo-bench-${process.pid}.mjs`);
  writeFileSync(file, text);
  try {
    return { ...(await import(pathToFileURL(file).href)), cache };
  } finally {
    rmSync(file);
  }
}

/** Removes the caches of older code, except recent ones that another run may use. */
function removeOldCaches(cache) {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith('cleo-bench-stores-'))) {
    const path = join(tmpdir(), name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (path !== cache && age > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}
