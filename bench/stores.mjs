// Projects of a given size. They are made once and kept in the temporary folder under the hash of the code that makes them.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `sizes`: `{ name: [count, open] }`. Copies that may be written to, in a folder that `remove` takes away. */
export async function openProjects(sizes) {
  const { fill, kept } = await filler();
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-'));
  const projects = {};
  for (const [name, [count, open]] of Object.entries(sizes)) {
    const made = join(kept, `${count}-${open}`);
    await makeOnce(made, (fresh) => fill(fresh, count, open));
    projects[name] = join(folder, name);
    cpSync(made, projects[name], { recursive: true });
  }
  return { folder, projects, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A project whose log holds so many entries of one session. It is large and only read, so it is used where it is kept. */
export async function openLog(count) {
  const { fillLog, loggedSession, kept } = await filler();
  const made = join(kept, `log-${count}`);
  await makeOnce(made, (fresh) => fillLog(fresh, count));
  return { folder: made, session: loggedSession };
}

/** A project that is one plan of so many tasks, each of which waits for `each` others. Only read, so it is used where it is kept. */
export async function openPlan(count, each) {
  const { fillPlan, planned, kept } = await filler();
  const made = join(kept, `plan-${count}-${each}`);
  await makeOnce(made, (fresh) => fillPlan(fresh, count, each));
  return { folder: made, root: planned };
}

/** A project that remembers so many entries. Only read, so it is used where it is kept. */
export async function openMemory(count) {
  const { fillMemory, kept } = await filler();
  const made = join(kept, `memory-${count}`);
  await makeOnce(made, (fresh) => fillMemory(fresh, count));
  return made;
}

async function makeOnce(made, fill) {
  if (existsSync(made)) return;
  const fresh = mkdtempSync(`${made}-`);
  await fill(fresh);
  if (existsSync(made)) rmSync(fresh, { recursive: true });
  else renameSync(fresh, made);
}

async function filler() {
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
  const kept = join(tmpdir(), `cleo-bench-stores-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);
  mkdirSync(kept, { recursive: true });
  forgetOthers(kept);
  // Inside node_modules, where the SQLite driver is found from.
  const file = join(root, 'node_modules', `.cleo-bench-${process.pid}.mjs`);
  writeFileSync(file, text);
  try {
    return { ...(await import(pathToFileURL(file).href)), kept };
  } finally {
    rmSync(file);
  }
}

/** Stores of code that has changed since; not those that another run may be using. */
function forgetOthers(kept) {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith('cleo-bench-stores-'))) {
    const path = join(tmpdir(), name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (path !== kept && age > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}
