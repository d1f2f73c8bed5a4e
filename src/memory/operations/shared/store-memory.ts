import {
  array,
  boolean,
  custom,
  description,
  type InferOutput,
  metadata,
  object,
  optional,
  pipe,
  strictObject,
  string,
  transform,
} from 'valibot';
import { alreadyExists, answer, type MutationContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { Label } from '#core/model/search-texts.ts';
import { isStorable } from '#core/model/storable.ts';
import { Line } from '#core/model/texts.ts';
import { type FactRequest, observation, requestFacts } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import type { WriteStore } from '#store/port/store.ts';
import { checkTaskExists, createNotFoundError } from '#tasks/operations/shared/require.ts';
import { MemoryContent, type MemoryRecord, type MemoryType, sourceTables } from '../../model/memory.ts';
import { findCitations } from '../../rules/find-citations.ts';
import { deriveTitle, hashMemory, toMemorySummary } from '../../rules/memory-view.ts';

interface MemorySource {
  table: string;
  rowid: string;
}

const sourcePattern = new RegExp(`^(${sourceTables.join('|')}):(\\S(?:[^\\u0000-\\u001f\\u007f]{0,198}\\S)?)$`);

const SourceParam = pipe(
  custom<string>(
    (value) => typeof value === 'string' && isStorable(value) && sourcePattern.test(value),
    `Expected a source such as research:T002-parsers (${sourceTables.join(', ')})`,
  ),
  transform((text): MemorySource => {
    const [, table = '', rowid = ''] = sourcePattern.exec(text)!;
    return { table, rowid };
  }),
  description('Source: research:ENTRY, vote:ENTRY, adr:PATH, session:ID, task:T### or doc:SLUG'),
  metadata({ jsonSchema: { type: 'string' }, value: 'TABLE:ID', isRare: true }),
);

/** Parameters of a new entry. */
export const NewMemory = strictObject({
  content: pipe(MemoryContent, description('Text (at most 32,000 characters); ids such as D-001 in it become citations')),
  title: optional(pipe(Line, description('Title (1-200 characters); the start of the content by default'))),
  task: optional(pipe(TaskIdSchema, description('Task that the entry is about'))),
  epic: optional(pipe(TaskIdSchema, description('Epic that the entry is about'))),
  tags: optional(pipe(array(Label), description('Search terms, each of a-z 0-9 . _ : / - and at most 50 characters'))),
  source: optional(SourceParam),
});

/** Stores an entry as proposed. An entry with the same type and content already exists (exit 101). */
export async function storeMemory(ctx: MutationContext, type: MemoryType, input: InferOutput<typeof NewMemory>) {
  const { store } = ctx;
  const { content, title, tags } = input;
  const tasks = [...new Set([input.task, input.epic].filter((id) => id !== undefined))];
  const [missing] = await store.tasks.findMissing(tasks);
  if (missing) throw await createNotFoundError(store, missing);
  const source = input.source && (await requireSource(ctx, input.source));
  const digest = hashMemory(type, content);
  const existing = await store.memory.getByDigest(digest);
  if (existing) return alreadyExists({ memory: toMemorySummary(existing) });
  const [id = ''] = await store.memory.nextIds(type, 1);
  const entry = createMemoryRecord(ctx, {
    id,
    type,
    title: title ?? deriveTitle(content),
    content,
    digest,
    tags: [...new Set(tags)],
    tasks,
    ...defined({ source }),
  });
  await store.memory.insertMany([entry]);
  return answer({ memory: toMemorySummary(entry) }, { warnings: await saveMemoryCitations(store, entry) });
}

export const createMemoryRecord = (
  { now, caller }: Pick<MutationContext, 'now' | 'caller'>,
  fields: Omit<MemoryRecord, 'state' | 'agentId' | 'createdAt' | 'sessionId'>,
): MemoryRecord => ({
  ...fields,
  state: 'proposed',
  ...defined({ sessionId: caller.session }),
  agentId: caller.agent,
  createdAt: now,
});

/** Stores the citations of an entry and returns a warning for each superseded one. */
export async function saveMemoryCitations(store: WriteStore, { id, title, content }: MemoryRecord): Promise<string[]> {
  const cited = findCitations(`${title}\n${content}`);
  if (cited.length === 0) return [];
  await store.memory.saveCitations('memory', id, cited);
  return (await store.memory.listStaleCitations('memory', id)).map(
    ({ cites, supersededBy }) => `${cites} was superseded by ${supersededBy}`,
  );
}

const help = ['help', 'memory', 'store'];

/** A decision record of the checkout, by its path in the project. */
const decisionRecord = observation({
  name: 'checkout.adr',
  request: object({ path: string() }),
  facts: object({ name: string(), exists: boolean() }),
  async observe({ project }, { path }) {
    const { resolveInProject } = await import('#platform/shared-file.ts');
    const { name, exists } = resolveInProject(project.root, path, 'cleo help memory store');
    return { name, exists };
  },
});

/** For the definition of an operation that stores an entry with a source. */
export const sourceObservations = [decisionRecord];
export const observeSourceFirst = ({ source }: { source?: MemorySource | undefined }): FactRequest[] =>
  source && isRecordPath(source) ? [requestFacts(decisionRecord, { path: source.rowid })] : [];

const isRecordPath = ({ table, rowid }: MemorySource): boolean => table === 'adr' && /[/\\]|\.md$/i.test(rowid);

/** Normalizes a source and throws E_NOT_FOUND if it does not exist. A vote, or a record without a path, cannot be checked. */
async function requireSource({ store, project, config, getFacts }: MutationContext, source: MemorySource): Promise<MemorySource> {
  const { table, rowid } = source;
  const createMissingError = (what: string, words: string[]): CleoError =>
    new CleoError('E_NOT_FOUND', { id: rowid, what, fix: commandLine(['cleo', ...words]) });
  if (table === 'task') {
    const id = parseTaskId(rowid);
    if (!id) throw createMissingError('task', help);
    await checkTaskExists(store, id);
    return { table, rowid: id };
  }
  if (table === 'session' && !(await store.sessions.get(rowid))) {
    const hasAny = (await store.sessions.list(undefined, { limit: 1, offset: 0 })).length > 0;
    throw createMissingError('session', hasAny ? ['session', 'list'] : help);
  }
  if (table === 'doc' && !(await store.docs.get(rowid)))
    throw createMissingError('document', (await store.docs.listSlugs('', 1)).length > 0 ? ['docs', 'list'] : help);
  if (table === 'research') {
    const { findEntry, openManifest } = await import('#research/operations/shared/manifest.ts');
    const manifest = await openManifest(project, config);
    const entry = findEntry(manifest.read(), rowid) ?? findEntry(manifest.archived(), rowid);
    if (!entry) throw createMissingError('research entry', manifest.read().entries.length > 0 ? ['research', 'list'] : help);
    return { table, rowid: entry.id };
  }
  if (isRecordPath(source)) {
    const { exists, name } = await getFacts(decisionRecord, { path: rowid });
    if (!exists) throw new CleoError('E_FILE_ERROR', { path: rowid, problem: 'does not exist', fix: 'cleo help memory store' });
    return { table, rowid: name };
  }
  return source;
}
