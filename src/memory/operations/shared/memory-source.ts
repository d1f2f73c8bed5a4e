import { custom, description, metadata, pipe, transform } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import { isStorable, parseTaskId } from '#core/model/scalars.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { sourceTables } from '../../model/memory.ts';

export interface MemorySource {
  table: string;
  rowid: string;
}

const sourcePattern = new RegExp(`^(${sourceTables.join('|')}):(\\S(?:[^\\u0000-\\u001f\\u007f]{0,198}\\S)?)$`);

export const SourceParam = pipe(
  custom<string>(
    (value) => typeof value === 'string' && isStorable(value) && sourcePattern.test(value),
    `Expected a source such as research:T002-parsers (${sourceTables.join(', ')})`,
  ),
  transform((text): MemorySource => {
    const [, table = '', rowid = ''] = sourcePattern.exec(text)!;
    return { table, rowid };
  }),
  description('Source: research:ENTRY, vote:ENTRY, adr:PATH, session:ID, task:T### or doc:SLUG'),
  metadata({ jsonSchema: { type: 'string' }, value: 'TABLE:ID' }),
);

/** Normalizes a source and throws E_NOT_FOUND if it does not exist. A vote, or a record without a path, cannot be checked. */
export async function requireSource({ store, project, config }: MutationContext, source: MemorySource): Promise<MemorySource> {
  const { table, rowid } = source;
  const createMissingError = (what: string, words: string[]): CleoError =>
    new CleoError('E_NOT_FOUND', { id: rowid, what, fix: commandLine(['cleo', ...words]) });
  if (table === 'task') {
    const id = parseTaskId(rowid);
    if (!id) throw createMissingError('task', ['list', '--all']);
    if (!(await store.tasks.exists(id))) throw await createNotFoundError(store, id);
    return { table, rowid: id };
  }
  if (table === 'session' && !(await store.sessions.get(rowid))) throw createMissingError('session', ['session', 'list']);
  if (table === 'doc' && !(await store.docs.get(rowid))) throw createMissingError('document', ['docs', 'list']);
  if (table === 'research') {
    const { findEntry, openManifest } = await import('#research/operations/shared/manifest.ts');
    const manifest = await openManifest(project, config);
    const entry = findEntry(manifest.read(), rowid) ?? findEntry(manifest.archived(), rowid);
    if (!entry) throw createMissingError('research entry', ['research', 'list']);
    return { table, rowid: entry.id };
  }
  if (table === 'adr' && /[/\\]|\.md$/i.test(rowid)) {
    const { resolveInProject } = await import('#platform/shared-file.ts');
    const { exists, name } = resolveInProject(project.root, rowid, 'cleo help memory store');
    if (!exists) throw createMissingError('file', ['help', 'memory', 'store']);
    return { table, rowid: name };
  }
  return source;
}
