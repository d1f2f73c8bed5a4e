import { custom, description, metadata, pipe, transform } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { commandLine } from '#core/errors/quote.ts';
import { canonicalId, isStorable } from '#core/model/scalars.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { sourceTables } from '../../model/memory.ts';

export interface Source {
  table: string;
  rowid: string;
}

const form = new RegExp(`^(${sourceTables.join('|')}):(\\S(?:[^\\u0000-\\u001f\\u007f]{0,198}\\S)?)$`);

export const SourceParam = pipe(
  custom<string>(
    (value) => typeof value === 'string' && isStorable(value) && form.test(value),
    `Expected where it came from, such as research:T002-parsers (${sourceTables.join(', ')})`,
  ),
  transform((text): Source => {
    const [, table = '', rowid = ''] = form.exec(text)!;
    return { table, rowid };
  }),
  description('Where it came from: research:ENTRY, vote:ENTRY, adr:PATH, session:ID, task:T###, doc:SLUG'),
  metadata({ jsonSchema: { type: 'string' }, value: 'TABLE:ID' }),
);

/** The source as it is stored; refuses what can be looked for and is not there. A vote, or a record without a path, is kept elsewhere. */
export async function checkedSource({ store, project, config }: MutationContext, source: Source): Promise<Source> {
  const { table, rowid } = source;
  const missing = (what: string, words: string[]): CleoError =>
    new CleoError('E_NOT_FOUND', { id: rowid, what, fix: commandLine(['cleo', ...words]) });
  if (table === 'task') {
    const id = canonicalId(rowid);
    if (!id) throw missing('task', ['list', '--all']);
    if (!(await store.tasks.exists(id))) throw await notFound(store, id);
    return { table, rowid: id };
  }
  if (table === 'session' && !(await store.sessions.get(rowid))) throw missing('session', ['session', 'list']);
  if (table === 'doc' && !(await store.docs.get(rowid))) throw missing('document', ['docs', 'list']);
  if (table === 'research') {
    const { entryIn, manifestOf } = await import('#research/operations/shared/manifest.ts');
    const manifest = await manifestOf(project, config);
    const entry = entryIn(manifest.read(), rowid) ?? entryIn(manifest.archived(), rowid);
    if (!entry) throw missing('research entry', ['research', 'list']);
    return { table, rowid: entry.id };
  }
  if (table === 'adr' && /[/\\]|\.md$/i.test(rowid)) {
    const { inProject } = await import('#platform/shared-file.ts');
    const { isThere, place } = inProject(project.root, rowid, 'cleo help memory store');
    if (!isThere) throw missing('file', ['help', 'memory', 'store']);
    return { table, rowid: place };
  }
  return source;
}
