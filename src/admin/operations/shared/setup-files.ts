import { dirname, join, relative } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import { type Client, type ClientName, clients, type Piece } from '../../rules/setup-clients.ts';
import { type Edit, type Plan, planRemoval, planSetup, setUpParts, type Written } from '../../rules/setup-plan.ts';

export interface Change {
  file: string;
  change: 'created' | 'updated' | 'deleted';
  /** What is put in. */
  adds?: string;
}

export interface Wanted {
  hooks?: boolean | undefined;
  agents?: boolean | undefined;
  statusline?: boolean | undefined;
  remove?: boolean | undefined;
  dryRun?: boolean | undefined;
}

/** Files that others own too; only what sets up loads it. */
const loadDisk = () => import('#platform/shared-file.ts');
type Disk = Awaited<ReturnType<typeof loadDisk>>;

/** Where set-up writes down what it wrote: it goes with the files that it describes. */
const recordOf = (project: Project): string => join(project.folder, 'setup.json');

/** Sets up clients, or takes them out, each file whole or not at all. Nothing is written before everything is known to fit. */
export async function setUp(
  platform: Platform,
  project: Project,
  names: ClientName[],
  wanted: Wanted,
): Promise<{ changes: Change[]; remarks: string[] }> {
  const { files } = platform;
  const disk = await loadDisk();
  return files.withLock(recordOf(project), () => {
    const changes: Change[] = [];
    const remarks: string[] = [];
    const record = readRecord(files.readText(recordOf(project)));
    const now = new Map<string, string | undefined>();
    const made = new Map<string, number>();
    for (const client of clients.filter(({ name }) => names.includes(name))) {
      const wayOut = (file: string, how?: string): string => wayOutOf(platform, project, disk, file, client, wanted, how);
      const texts = (file: string): string | undefined => (now.has(file) ? now.get(file) : textOf(disk, project, file, wayOut));
      const plan = planOf(client, texts, (file) => record[file], wanted);
      checkSound(plan, wayOut);
      remarks.push(...plan.remarks);
      for (const edit of plan.edits) {
        changes.push(changeOf(edit, texts(edit.file)));
        now.set(edit.file, edit.text);
        made.set(edit.file, record[edit.file]?.folders ?? 0);
        const folders = newFolders(files, project, edit.file);
        if (edit.written) record[edit.file] = { ...edit.written, ...(folders > 0 ? { folders } : {}) };
        else delete record[edit.file];
      }
    }
    if (!wanted.dryRun && changes.length > 0) write(files, disk, project, now, record, made);
    return { changes: joined(changes), remarks };
  });
}

function textOf(disk: Disk, { root }: Project, file: string, wayOut: (file: string, how?: string) => string): string | undefined {
  try {
    return disk.readSharedFile(root, file).text;
  } catch (error) {
    if (!(error instanceof CleoError) || error.row !== 'E_FILE_ERROR') throw error;
    const problem = error.message.slice(file.length + 2);
    throw new CleoError('E_FILE_ERROR', { path: file, problem, fix: wayOut(file, problem === 'is read-only' ? 'chmod u+w' : undefined) });
  }
}

/** How many of the folders that a file lies in are not there. */
function newFolders(files: Platform['files'], { root }: Project, file: string): number {
  const folder = dirname(file);
  return folder === '.' || files.exists(join(root, folder)) ? 0 : 1 + newFolders(files, { root, folder }, folder);
}

/** What is in the way is put aside, not away. */
function wayOutOf(
  platform: Platform,
  project: Project,
  disk: Disk,
  file: string,
  client: Client,
  { remove }: Wanted,
  how?: string,
): string {
  const path = relative(platform.folder, join(project.root, inTheWay(disk, project, file))).replaceAll('\\', '/');
  const again = `cleo setup ${client.name}${remove ? ' --remove' : ''}`;
  return how ? `${how} ${quote(path)} && ${again}` : `mv ${quote(path)} ${quote(`${path}.aside`)} && ${again}`;
}

/** The first folder on the way that is none or leads elsewhere; else the file. */
function inTheWay(disk: Disk, { root }: Project, file: string): string {
  const parts = file.split('/');
  for (let n = 1; n < parts.length; n += 1) {
    const folder = parts.slice(0, n).join('/');
    try {
      return disk.readSharedFile(root, folder).text === undefined ? file : folder;
    } catch (error) {
      if (!(error as Error).message.endsWith('is not a regular file')) return folder;
    }
  }
  return file;
}

/** What is set up and what was found, client by client. */
export async function survey(
  { files, home }: Platform,
  project: Project,
): Promise<{ client: Client; isFound: boolean; parts: Piece['what'][] }[]> {
  const disk = await loadDisk();
  const texts = (file: string): string | undefined => {
    try {
      return disk.readSharedFile(project.root, file).text;
    } catch {
      return undefined;
    }
  };
  // Beside the user's folder of ours other programs keep theirs.
  const user = dirname(home);
  return clients.map((client) => ({
    client,
    isFound:
      client.signs.some((sign) => files.exists(join(project.root, sign))) ||
      client.homeSigns.some((sign) => files.exists(join(user, sign))),
    parts: [...setUpParts(client, texts)],
  }));
}

function planOf(
  client: Client,
  texts: (file: string) => string | undefined,
  known: (file: string) => Written | undefined,
  wanted: Wanted,
): Plan {
  if (wanted.remove) return planRemoval(client, texts, known);
  const wants = new Set<Piece['what']>(['mcp', 'text']);
  if (wanted.hooks !== false) wants.add('hooks');
  if (wanted.agents !== false) wants.add('agents');
  if (wanted.statusline) wants.add('statusline');
  return planSetup(client, texts, known, wants);
}

/** A file that is not what its name says is left alone, and with it all the others. */
function checkSound({ refusals: [first] }: Plan, wayOut: (file: string) => string): void {
  if (first)
    throw new CleoError('E_CONFIG_ERROR', { path: first.file, problem: `${first.problem}; it was left as it is`, fix: wayOut(first.file) });
}

const changeOf = ({ file, text, adds }: Edit, before: string | undefined): Change => ({
  file,
  change: text === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
  ...(adds === undefined ? {} : { adds }),
});

/** One line for each file, whoever changed it. */
function joined(changes: Change[]): Change[] {
  const byFile = new Map<string, Change>();
  for (const change of changes) {
    const known = byFile.get(change.file);
    byFile.set(change.file, { ...change, ...(known ? { change: change.change === 'deleted' ? 'deleted' : known.change } : {}) });
  }
  return [...byFile.values()];
}

function write(
  files: Platform['files'],
  disk: Disk,
  project: Project,
  texts: Map<string, string | undefined>,
  record: Record<string, Written>,
  made: Map<string, number>,
): void {
  // Where each ends up is asked before the first is written: a refusal leaves all of them as they were.
  const targets = [...texts].map(([file, text]) => ({ file, text, path: disk.readSharedFile(project.root, file).path }));
  const isEmpty = Object.keys(record).length === 0;
  // What is about to be written is on record first: cut short, it can still be taken out.
  if (!isEmpty) files.writeAtomic(recordOf(project), `${JSON.stringify(record, null, 2)}\n`);
  for (const { file, text, path } of targets) {
    if (text === undefined) {
      files.remove(path);
      let folder = dirname(path);
      for (let n = made.get(file) ?? 0; n > 0; n -= 1, folder = dirname(folder)) disk.removeEmptyFolder(folder);
    } else {
      files.createFolder(dirname(path));
      files.writeAtomic(path, text);
    }
  }
  if (isEmpty) files.remove(recordOf(project));
}

/** A record that cannot be read is none: what we wrote is then found by its names and marks. */
function readRecord(text: string | undefined): Record<string, Written> {
  const record = parseJson(text);
  return isPlainObject(record) ? (record as Record<string, Written>) : {};
}
