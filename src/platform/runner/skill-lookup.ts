import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { defined } from '#lib/collections.ts';
import { isWithin } from '../tree.ts';
import type { SkillInfo } from './port.ts';

const programNames = ['run', 'run.sh', 'run.mjs', 'run.py'];
/** Limits of what is read of a skill folder. What is beyond them counts by size and time of its last change, so that no change is
 *  unnoticed. */
const maxFiles = 2000;
const maxFileBytes = 16 * 2 ** 20;

type Hash = (content: string | Uint8Array) => string;

/** Finds a skill at the path that the manifest gives, or by name in the skill folders of the project. */
export async function findSkill(root: string, folder: string, name: string, path: string | undefined, hash: Hash): Promise<SkillInfo> {
  const found = findSkillFolder(root, folder, name, path);
  if (!found) return { ...describeSkill(name, undefined, emptyFrontMatter), sha256: hash('') };
  const text = readSkillText(found);
  const frontMatter = await loadFrontMatter(text);
  const command = await findCommand(root, found, frontMatter.metadata.run);
  const nonExecutable = command ? undefined : listPrograms(found).find(isFile);
  return {
    ...describeSkill(name, text, frontMatter),
    folder: relative(root, found) || '.',
    ...defined({ command, nonExecutable: nonExecutable && relative(root, nonExecutable) }),
    sha256: hash(listDigests(root, found, hash)),
  };
}

export function findSkillFolder(root: string, folder: string, name: string, path: string | undefined): string | undefined {
  // The name must not be a path.
  if (path === undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return undefined;
  const candidates = path === undefined ? listSkillFolders(root, folder).map((place) => join(place, name)) : [join(root, path)];
  return candidates.find(isFolder);
}

export async function listProjectSkills(root: string, folder: string): Promise<Omit<SkillInfo, 'sha256' | 'command'>[]> {
  const skills = new Map<string, Omit<SkillInfo, 'sha256' | 'command'>>();
  for (const place of listSkillFolders(root, folder))
    for (const name of isFolder(place) ? listNames(place) : []) {
      const own = join(place, name);
      if (skills.has(name) || !isFolder(own)) continue;
      const text = readSkillText(own);
      skills.set(name, { ...describeSkill(name, text, await loadFrontMatter(text)), folder: relative(root, own) });
    }
  return [...skills.values()];
}

const listSkillFolders = (root: string, folder: string): string[] => [
  join(folder, 'skills'),
  join(root, '.claude', 'skills'),
  join(root, 'skills'),
];

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // No permission.
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    // The name is not valid on this file system.
    return false;
  }
}

/** The text of SKILL.md, if that is a regular file. */
function readSkillText(folder: string): string | undefined {
  const source = join(folder, 'SKILL.md');
  const stats = statSync(source, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= maxFileBytes ? readFileSync(source, 'utf8') : undefined;
}

type SkillFrontMatter = ReturnType<typeof import('./skill-front-matter.ts').readSkillFrontMatter>;
const emptyFrontMatter: SkillFrontMatter = { fields: {}, metadata: {} };

const loadFrontMatter = async (text: string | undefined): Promise<SkillFrontMatter> =>
  text === undefined ? emptyFrontMatter : (await import('./skill-front-matter.ts')).readSkillFrontMatter(text);

function describeSkill(
  name: string,
  text: string | undefined,
  { fields, metadata }: SkillFrontMatter,
): Omit<SkillInfo, 'sha256' | 'command' | 'folder'> {
  return {
    name,
    version: toText(metadata.version) ?? toText(fields.version) ?? '0.0.0',
    description: toText(fields.description) ?? '',
    triggers: toList(metadata.triggers),
    negativeTriggers: toList(metadata.negative_triggers ?? metadata.negativeTriggers),
    ...defined({ text }),
  };
}

/** The command that SKILL.md declares, else an executable with one of the known names. */
async function findCommand(root: string, folder: string, declared: unknown): Promise<string[] | undefined> {
  if (Array.isArray(declared) && declared.every((word) => typeof word === 'string') && declared.length > 0)
    return resolveWords(root, folder, declared as string[]);
  if (typeof declared === 'string' && declared.trim() !== '')
    return resolveWords(root, folder, (await import('#lib/shell-words.ts')).splitCommand(declared));
  const program = listPrograms(folder).find(isExecutable);
  return program === undefined ? undefined : [program];
}

const listPrograms = (folder: string): string[] =>
  [folder, join(folder, 'scripts')].flatMap((place) => programNames.map((name) => join(place, name)));
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** Makes words that name files of the skill folder absolute, because the command runs in the project folder. */
const resolveWords = (root: string, folder: string, words: string[]): string[] =>
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

/** One line per file of the skill folder: name and content hash. */
function listDigests(root: string, folder: string, hash: Hash): string {
  const lines: string[] = [];
  const visited = new Set<string>();
  const walk = (place: string, prefix: string): void => {
    const real = realpathSync(place);
    if (visited.has(real)) return;
    visited.add(real);
    for (const name of listNames(place)) {
      if (name === 'node_modules' || name === '.git') continue;
      const path = join(place, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) walk(path, `${prefix}${name}/`);
      else if (stats && lines.length >= maxFiles) lines.push(`${prefix}${name} ${describeChange(stats)}`);
      else if (stats?.isFile()) lines.push(`${prefix}${name} ${hashContent(path, stats, hash)}`);
      else if (stats?.isSymbolicLink()) {
        lines.push(`${prefix}${name} -> ${readlinkSync(path)} ${hashTarget(path, hash)}`);
        // A program in a linked folder runs like those of the skill. What is outside the project, a pull does not change.
        if (isFolder(path) && isWithin(realpathSync(path), realpathSync(root))) walk(path, `${prefix}${name}/`);
      }
    }
  };
  walk(folder, '');
  return lines.join('\n');
}

/** Hashes the file that a link leads to: the skill runs it like its own. */
function hashTarget(path: string, hash: Hash): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? hashContent(path, stats, hash) : '';
}

function hashContent(path: string, stats: Stats, hash: Hash): string {
  try {
    return stats.size > maxFileBytes ? describeChange(stats) : hash(readFileSync(path));
  } catch {
    // No permission. The skill, which runs as the same user, cannot read it either.
    return `unreadable ${stats.size}`;
  }
}

const describeChange = ({ size, mtimeMs }: Stats): string => `${size} ${mtimeMs}`;

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const toList = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string')
    : typeof value === 'string'
      ? value
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean)
      : [];
