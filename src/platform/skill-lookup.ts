import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { SkillFound } from './ground-port.ts';

const programs = ['run', 'run.sh', 'run.mjs', 'run.py'];
/** A skill is a folder of texts and scripts; what is more is not looked at. */
const mostFiles = 2000;
const largestFile = 16 * 2 ** 20;

type Hash = (content: string | Uint8Array) => string;

/** Where a skill lies: where the manifest says, else among those of the project. */
export async function findSkill(root: string, folder: string, name: string, path: string | undefined, hash: Hash): Promise<SkillFound> {
  const found = folderOf(root, folder, name, path);
  if (!found) return { ...about(name, undefined, nothing), sha256: hash('') };
  const text = textIn(found);
  const head = await readHead(text);
  const command = commandOf(root, found, head.metadata.run);
  const locked = command ? undefined : programsIn(found).find(isFile);
  return {
    ...about(name, text, head),
    folder: relative(root, found) || '.',
    ...(command ? { command } : {}),
    ...(locked ? { locked: relative(root, locked) } : {}),
    sha256: hash(digestOf(found, hash)),
  };
}

/** Where it lies; undefined where it does not. */
export function folderOf(root: string, folder: string, name: string, path: string | undefined): string | undefined {
  // A name is one folder, never a way to another.
  if (path === undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return undefined;
  const candidates = path === undefined ? places(root, folder).map((place) => join(place, name)) : [join(root, path)];
  return candidates.find((candidate) => isFolder(candidate));
}

export async function knownSkills(root: string, folder: string): Promise<Omit<SkillFound, 'sha256' | 'command'>[]> {
  const found = new Map<string, Omit<SkillFound, 'sha256' | 'command'>>();
  for (const place of places(root, folder))
    for (const entry of isFolder(place) ? namesIn(place) : []) {
      const own = join(place, entry);
      if (found.has(entry) || !isFolder(own)) continue;
      const text = textIn(own);
      found.set(entry, { ...about(entry, text, await readHead(text)), folder: relative(root, own) });
    }
  return [...found.values()];
}

const places = (root: string, folder: string): string[] => [join(folder, 'skills'), join(root, '.claude', 'skills'), join(root, 'skills')];

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // Not ours to read.
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // A name that no folder can have.
    return false;
  }
}

/** Its SKILL.md, where it has one that is a text and not, say, a pipe. */
function textIn(folder: string): string | undefined {
  const source = join(folder, 'SKILL.md');
  const found = statSync(source, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= largestFile ? readFileSync(source, 'utf8') : undefined;
}

type Head = ReturnType<typeof import('./skill-text.ts').headOf>;
const nothing: Head = { fields: {}, metadata: {} };

const readHead = async (text: string | undefined): Promise<Head> =>
  text === undefined ? nothing : (await import('./skill-text.ts')).headOf(text);

function about(name: string, text: string | undefined, { fields, metadata }: Head): Omit<SkillFound, 'sha256' | 'command' | 'folder'> {
  return {
    name,
    version: textOf(metadata.version) ?? textOf(fields.version) ?? '0.0.0',
    description: textOf(fields.description) ?? '',
    triggers: listOf(metadata.triggers),
    negativeTriggers: listOf(metadata.negative_triggers ?? metadata.negativeTriggers),
    ...(text === undefined ? {} : { text }),
  };
}

/** What the skill says of itself, else a program of a name that says it. */
function commandOf(root: string, folder: string, said: unknown): string[] | undefined {
  if (Array.isArray(said) && said.every((word) => typeof word === 'string') && said.length > 0)
    return inFolder(root, folder, said as string[]);
  if (typeof said === 'string' && said.trim() !== '') return inFolder(root, folder, wordsOf(said));
  const program = programsIn(folder).find(isExecutable);
  return program === undefined ? undefined : [program];
}

const programsIn = (folder: string): string[] =>
  [folder, join(folder, 'scripts')].flatMap((place) => programs.map((name) => join(place, name)));
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Between spaces, unless in quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one, other) => one ?? other),
  );

/** Its words are read in the project's folder, its files lie in its own. */
const inFolder = (root: string, folder: string, words: string[]): string[] =>
  words.map((word) =>
    !isAbsolute(word) && !word.startsWith('-') && existsSync(join(folder, word)) && !existsSync(join(root, word))
      ? join(folder, word)
      : word,
  );

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function digestOf(folder: string, hash: Hash): string {
  const lines: string[] = [];
  const walk = (place: string, name: string): void => {
    for (const entry of namesIn(place)) {
      if (lines.length >= mostFiles || entry === 'node_modules' || entry === '.git') continue;
      const path = join(place, entry);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory()) walk(path, `${name}${entry}/`);
      else if (found?.isFile()) lines.push(`${name}${entry} ${contentOf(path, found.size, hash)}`);
    }
  };
  walk(folder, '');
  return lines.join('\n');
}

function contentOf(path: string, size: number, hash: Hash): string {
  try {
    return size > largestFile ? String(size) : hash(readFileSync(path));
  } catch {
    // Not ours to read; what it holds cannot matter to a skill that we start.
    return `unreadable ${size}`;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const listOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string')
    : typeof value === 'string'
      ? value
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean)
      : [];
