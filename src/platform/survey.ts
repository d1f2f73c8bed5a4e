import { closeSync, constants, fstatSync, opendirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectFacts } from '#detect/rules/facts.ts';
import { isManifest, isSample } from '#detect/rules/wanted.ts';

/** What others made, or what a build makes. */
const skipped = new Set(
  'node_modules bower_components vendor target dist build out bin obj venv env site-packages __pycache__ coverage htmlcov Pods DerivedData tmp temp log logs third_party'.split(
    ' ',
  ),
);
/** Of folders that begin with a dot only these tell something. */
const shown = new Set(['.github', '.config', '.changeset', '.cargo', '.mvn']);
const most = { files: 20_000, folders: 4_000, inFolder: 100_000, depth: 12, texts: 150, samples: 5, bytes: 512 * 1024 };

/** Names and a few texts of a project. It looks at the top first and stops when it has seen enough; links are not followed, what
 *  may not be read is passed by, and what is checked out inside is somebody else's. */
export function surveyProject(root: string): ProjectFacts {
  const files: string[] = [];
  const queue: { folder: string; depth: number }[] = [{ folder: '', depth: 0 }];
  for (let at = 0; at < queue.length && files.length < most.files; at += 1) {
    const { folder, depth } = queue[at]!;
    const entries = entriesOf(join(root, folder));
    if (folder !== '' && entries.some(({ name }) => name === '.git')) continue;
    const prefix = folder === '' ? '' : `${folder}/`;
    files.push(...entries.filter(({ isFile }) => isFile).map(({ name }) => prefix + name));
    if (depth >= most.depth) continue;
    for (const { name, isFolder } of entries)
      if (isFolder && queue.length < most.folders && (name.startsWith('.') ? shown.has(name) : isOwn(name, folder)))
        queue.push({ folder: prefix + name, depth: depth + 1 });
  }
  files.length = Math.min(files.length, most.files);
  return { files, texts: textsOf(root, files), above: above(root) };
}

/** Rails, Symfony and others keep programs that tell something in `bin` at the top. */
const isOwn = (name: string, folder: string): boolean => !skipped.has(name) || (name === 'bin' && folder === '');

interface Entry {
  name: string;
  isFile: boolean;
  isFolder: boolean;
}

function entriesOf(folder: string): Entry[] {
  const found: Entry[] = [];
  try {
    const open = opendirSync(folder, { bufferSize: 512 });
    try {
      for (let entry = open.readSync(); entry && found.length < most.inFolder; entry = open.readSync())
        found.push({ name: entry.name, isFile: entry.isFile(), isFolder: entry.isDirectory() });
    } finally {
      open.closeSync();
    }
  } catch {
    // What we may not look into tells nothing.
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function textsOf(root: string, files: string[]): Map<string, string> {
  const wanted = [...files.filter(isManifest).slice(0, most.texts), ...files.filter(isSample).slice(0, most.samples)];
  return new Map(
    wanted.flatMap((path) => {
      const text = textOf(join(root, path));
      return text === undefined ? [] : [[path, text] as const];
    }),
  );
}

/** A plain file of a decent size, or nothing: a pipe that took its place must not hold us up. */
function textOf(path: string): string | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      const status = fstatSync(file);
      return status.isFile() && status.size <= most.bytes ? readFileSync(file, 'utf8') : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Files of the folders above, up to the top of the checkout: a package may have its lock file there. */
function above(root: string): string[] {
  const found: string[] = [];
  let way = '';
  for (let ctx = root, steps = 0; steps < 6; steps += 1) {
    if (names(ctx).includes('.git')) return found;
    if (dirname(ctx) === ctx) break;
    ctx = dirname(ctx);
    way += '../';
    found.push(...names(ctx).map((name) => way + name));
  }
  // Outside of a checkout nothing up there is ours.
  return [];
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, 1000);
  } catch {
    return [];
  }
}
