import { array, boolean, optional, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { Config } from '#core/model/config.ts';
import { nearest } from '#lib/nearest.ts';
import type { Project } from '#platform/port.ts';
import { type ReadEntry, ResearchStatus } from '../../model/manifest.ts';
import { archivePath, type LineChange, type Manifest, type ManifestProblem, manifestPath, readManifest } from '../../rules/manifest.ts';

/** An entry as it is answered: what a line does not say is left out. */
export const Entry = strictObject({
  id: string(),
  title: string(),
  status: ResearchStatus,
  file: string(),
  date: optional(string()),
  agent_type: optional(string()),
  topics: array(string()),
  key_findings: array(string()),
  actionable: boolean(),
  needs_followup: array(string()),
  linked_tasks: array(string()),
});

export const EntryReceipt = strictObject({
  id: string(),
  title: string(),
  status: ResearchStatus,
  file: string(),
  linked_tasks: array(string()),
});
export const entryReceipt = ({ id, title, status, file, linked_tasks }: ReadEntry) => ({ id, title, status, file, linked_tasks });

export interface ManifestFile {
  /** As the project sees it. */
  name: string;
  read(): Manifest;
  archived(): Manifest;
  /** The line for it, told which ids are taken, here or in the archive. */
  add(lineFor: (isTaken: (id: string) => boolean) => string): void;
  archive(lines: string[]): void;
  change(change: (lines: string[]) => LineChange[]): void;
}

/** The manifest of a project, where its configuration says. */
export async function manifestOf({ root }: Project, config: Config): Promise<ManifestFile> {
  const { addLine, changeLines, readLines } = await import('#platform/manifest-file.ts');
  const { inProject } = await import('#platform/shared-file.ts');
  const { files } = await import('#platform/files.ts');
  const name = manifestPath(config);
  const place = (path: string): string => inProject(root, path, 'cleo config unset orchestrate.outputDir').path;
  const path = place(name);
  const archive = place(archivePath(config));
  return {
    name,
    read: () => readManifest(readLines(path)),
    archived: () => readManifest(files.readText(archive) ?? ''),
    add: (lineFor) => addLine(path, (text) => lineFor((id) => holds(text, id) || holds(files.readText(archive) ?? '', id))),
    archive: (lines) => files.appendLine(archive, lines.join('\n')),
    change: (change) => changeLines(path, change),
  };
}

/** Looked for as text first: others wait for their turn while we read. */
const holds = (text: string, id: string): boolean => text.includes(JSON.stringify(id)) && entryIn(readManifest(text), id) !== undefined;

const mostShown = 5;

/** What is wrong in the file, for whoever reads it; `research stats` has it all. */
export function warningsOf(name: string, problems: ManifestProblem[]): string[] {
  const shown = problems.slice(0, mostShown).map(({ line, problem }) => `${name} line ${line} ${problem}`);
  return problems.length > mostShown
    ? [...shown, `${name}: ${problems.length - mostShown} more lines like that; see cleo research stats`]
    : shown;
}

export function entryIn({ entries }: Manifest, id: string): ReadEntry | undefined {
  return entries.find(({ entry }) => entry.id === id)?.entry;
}

export function noEntry(id: string, { entries }: Manifest): CleoError {
  const [near] = nearest(
    id,
    entries.map(({ entry }) => entry.id),
  );
  return new CleoError('E_NOT_FOUND', {
    what: 'research entry',
    id: id.slice(0, 150),
    fix: near ? `cleo research show ${quote(near)}` : 'cleo research list',
  });
}
