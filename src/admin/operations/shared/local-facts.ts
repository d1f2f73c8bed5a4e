import { join } from 'node:path';
import { integer, number, object, optional, pipe, safeParse, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { EntryHashSchema } from '../../model/signed-head.ts';
import { addLaterPatterns } from '../../rules/local-files.ts';

/** `.cleo/local.json`: facts about the store of this checkout, stored outside it. Never committed. */
const LocalFactsSchema = object({
  replica: string(),
  engine: string(),
  auditHead: optional(EntryHashSchema),
  taskNumber: optional(pipe(number(), integer())),
});

export interface LocalFacts {
  replica: string;
  engine: string;
  /** The last entry of the log when the facts were written. */
  auditHead?: { seq: number; hash: string };
  /** The highest number that was given to a task. */
  taskNumber?: number;
}

const toPath = ({ folder }: Project): string => join(folder, 'local.json');

export function readLocalFacts({ files }: Pick<Platform, 'files'>, project: Project): LocalFacts | undefined {
  const { success, output } = safeParse(LocalFactsSchema, parseJson(files.readText(toPath(project)) ?? ''));
  return success ? (output as LocalFacts) : undefined;
}

/** Writes the facts about the store as it is now. Other keys of the file are left as they are. */
export const recordLocalFacts = async (platform: Pick<Platform, 'files'>, project: Project, store: ReadStore): Promise<void> =>
  writeLocalFacts(platform, project, await readStoreFacts(store));

const readStoreFacts = async (store: ReadStore): Promise<object> => ({
  ...(await store.audit.getStoreFacts()),
  auditHead: await store.audit.getHead(),
});

function writeLocalFacts({ files }: Pick<Platform, 'files'>, project: Project, facts: object): void {
  const path = toPath(project);
  const before = parseJson(files.readText(path) ?? '{}');
  updateGitignore({ files }, project);
  files.writeAtomic(path, `${JSON.stringify({ ...(isPlainObject(before) ? before : {}), ...facts }, null, 2)}\n`);
}

/** For operations whose result does not depend on the file. A failure of the store is still an error. */
export async function recordFactsQuietly(platform: Pick<Platform, 'files'>, project: Project, store: ReadStore): Promise<void> {
  const facts = await readStoreFacts(store);
  try {
    writeLocalFacts(platform, project, facts);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** Checks whether the file has the highest number of the store. The last entry of the log differs after every write. */
export async function hasTaskNumber(platform: Pick<Platform, 'files'>, project: Project, store: ReadStore): Promise<boolean> {
  return readLocalFacts(platform, project)?.taskNumber === (await store.audit.getStoreFacts()).taskNumber;
}

/** Adds the names of local files to `.cleo/.gitignore` of a project that an older version created. A project without the file commits
 *  none of `.cleo`, or all of it. */
function updateGitignore({ files }: Pick<Platform, 'files'>, { folder }: Project): void {
  const path = join(folder, '.gitignore');
  const text = files.readText(path);
  const updated = text === undefined ? undefined : addLaterPatterns(text);
  if (updated !== undefined && updated !== text) files.writeAtomic(path, updated);
}
