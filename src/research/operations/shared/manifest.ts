import { array, boolean, optional, strictObject, string } from 'valibot';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Project } from '#platform/port.ts';
import { type ParsedEntry, ResearchStatusSchema } from '../../model/manifest.ts';
import {
  getArchivePath,
  getManifestPath,
  type LineChange,
  type ManifestProblem,
  type ParsedManifest,
  parseManifest,
} from '../../rules/manifest.ts';

/** An entry in results, without fields that its line lacks. */
export const ResearchEntry = strictObject({
  id: string(),
  title: string(),
  status: ResearchStatusSchema,
  file: string(),
  date: optional(string()),
  agent_type: optional(string()),
  topics: array(string()),
  key_findings: array(string()),
  actionable: boolean(),
  needs_followup: array(string()),
  linked_tasks: array(string()),
});

const { id, title, status, file, linked_tasks } = ResearchEntry.entries;
export const EntryReceipt = strictObject({ id, title, status, file, linked_tasks });
export const toEntryReceipt = ({ id, title, status, file, linked_tasks }: ParsedEntry) => ({ id, title, status, file, linked_tasks });

interface ManifestFile {
  /** Path relative to the project folder. */
  name: string;
  read(): ParsedManifest;
  archived(): ParsedManifest;
  /** Appends a line. `isTaken` checks ids in the manifest and in the archive. */
  add(lineFor: (isTaken: (id: string) => boolean) => string): void;
  archive(lines: string[]): void;
  change(change: (lines: string[]) => LineChange[]): void;
}

/** Opens the manifest of a project at the configured path. */
export async function openManifest({ root }: Project, config: Config): Promise<ManifestFile> {
  const { addLine, changeLines, readLines } = await import('#platform/manifest-file.ts');
  const { resolveInProject } = await import('#platform/shared-file.ts');
  const { files } = await import('#platform/files.ts');
  const name = getManifestPath(config);
  const toProjectPath = (path: string): string => resolveInProject(root, path, 'cleo config unset orchestrate.outputDir').path;
  const path = toProjectPath(name);
  const archive = toProjectPath(getArchivePath(config));
  return {
    name,
    read: () => parseManifest(readLines(path)),
    archived: () => parseManifest(files.readText(archive) ?? ''),
    add: (lineFor) => addLine(path, (text) => lineFor((id) => containsEntry(text, id) || containsEntry(files.readText(archive) ?? '', id))),
    archive: (lines) => files.appendLine(archive, lines.join('\n')),
    change: (change) => changeLines(path, change),
  };
}

/** Searches the text first, because parsing is slow and other processes wait for the lock. */
const containsEntry = (text: string, id: string): boolean =>
  text.includes(JSON.stringify(id)) && findEntry(parseManifest(text), id) !== undefined;

const maxWarnings = 5;

/** Formats the first problems of a manifest as warnings; `research stats` shows them all. */
export function formatManifestWarnings(name: string, problems: ManifestProblem[]): string[] {
  const shown = problems.slice(0, maxWarnings).map(({ line, problem }) => `${name} line ${line} ${problem}`);
  return problems.length > maxWarnings
    ? [...shown, `${name}: ${problems.length - maxWarnings} more invalid lines; run cleo research stats`]
    : shown;
}

export function findEntry({ entries }: ParsedManifest, id: string): ParsedEntry | undefined {
  return entries.find(({ entry }) => entry.id === id)?.entry;
}

export function createEntryNotFoundError(id: string, { entries }: ParsedManifest): CleoError {
  const [nearestId] = findNearest(
    id,
    entries.map(({ entry }) => entry.id),
  );
  return new CleoError('E_NOT_FOUND', {
    what: 'research entry',
    id: id.slice(0, 150),
    fix: nearestId ? `cleo research show ${quote(nearestId)}` : entries.length > 0 ? 'cleo research list' : 'cleo help research add',
  });
}
