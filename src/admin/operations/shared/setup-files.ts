import { dirname, join, relative } from 'node:path';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import { type Client, type ClientName, clients, type SetupPart } from '../../rules/setup-clients.ts';
import {
  type FileEdit,
  type GetRecord,
  listPresentParts,
  planRemoval,
  planSetup,
  type ReadText,
  type SetupPlan,
  type SetupRecord,
} from '../../rules/setup-plan.ts';

export interface FileChange {
  file: string;
  change: 'created' | 'updated' | 'deleted';
  /** The added text. */
  adds?: string;
}

type SetupOptions = { [K in 'hooks' | 'agents' | 'statusline' | 'remove' | 'dryRun']?: boolean | undefined };

/** Loads access to files that other programs also write; only `setup` needs it. */
const loadSharedFiles = () => import('#platform/shared-file.ts');
type SharedFiles = Awaited<ReturnType<typeof loadSharedFiles>>;

/** The record of what setup wrote. It is committed together with those files. */
const getRecordPath = (project: Project): string => join(project.folder, 'setup.json');

/** Sets up clients or removes them. Nothing is written until all changes are known to be possible, and each file is written atomically. */
export async function setUpClients(
  platform: Platform,
  project: Project,
  names: ClientName[],
  options: SetupOptions,
): Promise<{ changes: FileChange[]; warnings: string[] }> {
  const { files } = platform;
  const sharedFiles = await loadSharedFiles();
  return files.withLock(getRecordPath(project), () => {
    const changes: FileChange[] = [];
    const warnings: string[] = [];
    const record = parseRecord(files.readText(getRecordPath(project)));
    const texts = new Map<string, string | undefined>();
    const folderCounts = new Map<string, number>();
    for (const client of clients.filter(({ name }) => names.includes(name))) {
      const suggestFix = (file: string, how?: string): string =>
        suggestSetupFix(platform, project, sharedFiles, file, client, options, how);
      const getText: ReadText = (file) => (texts.has(file) ? texts.get(file) : readText(sharedFiles, project, file, suggestFix));
      const plan = planClient(client, getText, (file) => record[file], options);
      requireNoConflicts(plan, suggestFix);
      warnings.push(...plan.warnings);
      for (const edit of plan.edits) {
        changes.push(toFileChange(edit, getText(edit.file)));
        texts.set(edit.file, edit.text);
        folderCounts.set(edit.file, record[edit.file]?.folders ?? 0);
        const folders = countMissingFolders(files, project, edit.file);
        if (edit.record) record[edit.file] = { ...edit.record, ...(folders > 0 ? { folders } : {}) };
        else delete record[edit.file];
      }
    }
    if (!options.dryRun && changes.length > 0) writeFiles(files, sharedFiles, project, texts, record, folderCounts);
    return { changes: mergeChanges(changes), warnings };
  });
}

function readText(
  sharedFiles: SharedFiles,
  { root }: Project,
  file: string,
  suggestFix: (file: string, how?: string) => string,
): string | undefined {
  try {
    return sharedFiles.readSharedFile(root, file).text;
  } catch (error) {
    if (!(error instanceof CleoError) || error.row !== 'E_FILE_ERROR') throw error;
    const problem = error.message.slice(file.length + 2);
    throw new CleoError('E_FILE_ERROR', {
      path: file,
      problem,
      fix: suggestFix(file, problem === 'is read-only' ? 'chmod u+w' : undefined),
      manual: `${problem === 'is read-only' ? `Make ${file} writable` : `Repair ${file} or move it aside`}, then repeat the call`,
    });
  }
}

/** The number of parent folders of a file that do not exist. */
function countMissingFolders(files: Platform['files'], { root }: Project, file: string): number {
  const folder = dirname(file);
  return folder === '.' || files.exists(join(root, folder)) ? 0 : 1 + countMissingFolders(files, { root, folder }, folder);
}

/** The command that moves an obstacle aside, or repairs it with `how`, and runs setup again. */
function suggestSetupFix(
  platform: Platform,
  project: Project,
  sharedFiles: SharedFiles,
  file: string,
  client: Client,
  { remove }: SetupOptions,
  how?: string,
): string {
  const path = relative(platform.folder, join(project.root, findObstacle(sharedFiles, project, file))).replaceAll('\\', '/');
  const retry = `cleo setup ${client.name}${remove ? ' --remove' : ''}`;
  return how ? `${how} ${quote(path)} && ${retry}` : `mv ${quote(path)} ${quote(`${path}.aside`)} && ${retry}`;
}

/** The first parent that is not a folder or leads outside the project, or else the file itself. */
function findObstacle(sharedFiles: SharedFiles, { root }: Project, file: string): string {
  const parts = file.split('/');
  for (let n = 1; n < parts.length; n += 1) {
    const folder = parts.slice(0, n).join('/');
    try {
      return sharedFiles.readSharedFile(root, folder).text === undefined ? file : folder;
    } catch (error) {
      if (!(error as Error).message.endsWith('is not a regular file')) return folder;
    }
  }
  return file;
}

/** Returns a function that reads files of the project; undefined for a file that cannot be read. */
export async function createProjectReader({ root }: Pick<Project, 'root'>): Promise<ReadText> {
  const sharedFiles = await loadSharedFiles();
  return (file) => {
    try {
      return sharedFiles.readSharedFile(root, file).text;
    } catch {
      return undefined;
    }
  };
}

/** Inspects which clients are found and which parts of each are set up. */
export async function inspectClients(
  { files, home }: Platform,
  project: Project,
): Promise<{ client: Client; isFound: boolean; parts: SetupPart['kind'][] }[]> {
  const getText = await createProjectReader(project);
  // The home folder of the user, which contains the folders of other programs.
  const userHome = dirname(home);
  return clients.map((client) => ({
    client,
    isFound:
      client.projectMarkers.some((sign) => files.exists(join(project.root, sign))) ||
      client.homeMarkers.some((sign) => files.exists(join(userHome, sign))),
    parts: [...listPresentParts(client, getText)],
  }));
}

function planClient(client: Client, getText: ReadText, getRecord: GetRecord, options: SetupOptions): SetupPlan {
  if (options.remove) return planRemoval(client, getText, getRecord);
  const kinds = new Set<SetupPart['kind']>(['mcp', 'text']);
  if (options.hooks !== false) kinds.add('hooks');
  if (options.agents !== false) kinds.add('agents');
  if (options.statusline) kinds.add('statusline');
  return planSetup(client, getText, getRecord, kinds);
}

/** Throws an error if a file cannot be edited. No other file is changed either. */
function requireNoConflicts({ conflicts: [first] }: SetupPlan, suggestFix: (file: string) => string): void {
  if (first)
    throw new CleoError('E_CONFIG_ERROR', {
      path: first.file,
      problem: `${first.problem}; it was not changed`,
      fix: suggestFix(first.file),
      manual: `Repair ${first.file} or move it aside, then repeat the call`,
    });
}

const toFileChange = ({ file, text, added }: FileEdit, before: string | undefined): FileChange => ({
  file,
  change: text === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
  ...defined({ adds: added }),
});

/** Merges the changes of several clients to one per file. */
function mergeChanges(changes: FileChange[]): FileChange[] {
  const byFile = new Map<string, FileChange>();
  for (const change of changes) {
    const known = byFile.get(change.file);
    byFile.set(change.file, { ...change, ...(known ? { change: change.change === 'deleted' ? 'deleted' : known.change } : {}) });
  }
  return [...byFile.values()];
}

function writeFiles(
  files: Platform['files'],
  sharedFiles: SharedFiles,
  project: Project,
  texts: Map<string, string | undefined>,
  record: Record<string, SetupRecord>,
  folderCounts: Map<string, number>,
): void {
  // All paths are resolved before the first write, so that an error leaves all files unchanged.
  const targets = [...texts].map(([file, text]) => ({ file, text, path: sharedFiles.readSharedFile(project.root, file).path }));
  const isEmpty = Object.keys(record).length === 0;
  // The record is written first, so that an interrupted setup can still be removed.
  if (!isEmpty) files.writeAtomic(getRecordPath(project), `${JSON.stringify(record, null, 2)}\n`);
  for (const { file, text, path } of targets) {
    if (text === undefined) {
      files.remove(path);
      let folder = dirname(path);
      for (let n = folderCounts.get(file) ?? 0; n > 0; n -= 1, folder = dirname(folder)) sharedFiles.removeEmptyFolder(folder);
    } else {
      files.createFolder(dirname(path));
      files.writeAtomic(path, text);
    }
  }
  if (isEmpty) files.remove(getRecordPath(project));
}

/** Parses the record. Without a valid record, parts are found by their keys and marks. */
function parseRecord(text: string | undefined): Record<string, SetupRecord> {
  const record = parseJson(text);
  return isPlainObject(record) ? (record as Record<string, SetupRecord>) : {};
}
