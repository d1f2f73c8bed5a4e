import { relative, resolve, sep } from 'node:path';
import { type BaseIssue, boolean, custom, description, metadata, object, optional, pipe, safeParse, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatRetry } from '#core/errors/retry.ts';
import { observation, requestFacts } from '#core/observation.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { checkJson } from '#lib/parse-json.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { type ManifestEntry, ManifestEntrySchema } from '../model/manifest.ts';
import { checkEntry, createEntryId } from '../rules/manifest.ts';
import { EntryReceipt, openManifest, toEntryReceipt } from './shared/manifest.ts';

const { entries: fields } = ManifestEntrySchema;
const help = 'cleo help research add';

/** The output file of an entry: its path in the project of the caller, and whether it has content. */
const outputFile = observation({
  name: 'checkout.output-file',
  request: object({ file: string() }),
  facts: object({ name: string(), isWritten: boolean() }),
  async observe({ platform, project }, { file }) {
    const { resolveInProject } = await import('#platform/shared-file.ts');
    const { path } = resolveInProject(project.root, file, help);
    const name = relative(project.root, resolve(project.root, file)).split(sep).join('/');
    return { name, isWritten: Boolean(platform.files.readText(path)?.trim()) };
  },
});

export const researchAdd = job({
  name: 'research.add',
  summary: 'Append one entry to the research manifest',
  params: strictObject({
    entry: optional(
      pipe(
        custom<string | object>((value) => typeof value === 'string' || isPlainObject(value), 'Expected an object, or JSON text of one'),
        description('The whole entry as JSON; other parameters override its fields'),
        metadata({ jsonSchema: { type: ['object', 'string'] }, value: 'JSON' }),
      ),
    ),
    id: optional(pipe(fields.id, description('Entry id; derived from the first linked task and the title by default'))),
    file: optional(fields.file),
    title: optional(fields.title),
    date: optional(pipe(fields.date, description('Date of the work; today by default'))),
    status: optional(fields.status),
    agentType: optional(fields.agent_type),
    topics: optional(fields.topics),
    keyFindings: optional(fields.key_findings),
    actionable: optional(fields.actionable),
    needsFollowup: optional(fields.needs_followup),
    linkedTasks: optional(fields.linked_tasks),
  }),
  paramAliases: { agent_type: 'agentType', key_findings: 'keyFindings', needs_followup: 'needsFollowup', linked_tasks: 'linkedTasks' },
  result: strictObject({ entry: EntryReceipt }),
  errors: ['E_INVALID_INPUT', 'E_VALIDATION', 'E_ID_COLLISION', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT'],
  tier: 1,
  observes: [outputFile],
  observeFirst: ({ file }) => (file === undefined ? [] : [requestFacts(outputFile, { file })]),
  shares: ['research', 'researchArchive'],
  cli: { command: 'research add' },
  example: {
    world: ['T001'],
    call: { id: 'T001-parsers', file: 'docs/parsers.md', title: 'Which parsers there are', status: 'complete', linkedTasks: ['T001'] },
  },
  async run(ctx, params) {
    const { project, changes, read } = ctx;
    const entry = buildEntry(ctx, params);
    const problem = checkEntry(entry);
    if (problem)
      throw new CleoError('E_VALIDATION', {
        field: 'needs_followup',
        problem,
        fix: formatRetry(ctx, { needsFollowup: [entry.status === 'partial' ? 'What is left to do' : 'What blocks the work'] }, help),
      });
    const { name, isWritten } = await ctx.getFacts(outputFile, { file: entry.file });
    entry.file = name;
    await read(async (store) => {
      const [missing] = await store.tasks.findMissing(entry.linked_tasks);
      if (missing) throw await createNotFoundError(store, missing);
    });
    const manifest = await openManifest(project, ctx.config());
    manifest.add((isTaken) => {
      if (isTaken(entry.id))
        throw new CleoError('E_ID_COLLISION', { id: entry.id, fix: formatRetry(ctx, { id: findFreeId(entry.id, isTaken) }, help) });
      return JSON.stringify(entry);
    });
    changes.created.push(entry.id);
    const warning = `${entry.file} does not exist yet or is empty; write the file before its entry (BASE-004)`;
    return answer({ entry: toEntryReceipt(entry) }, isWritten ? {} : { warnings: [warning] });
  },
});

/** Builds the entry from defaults, the `entry` parameter and the other parameters, which take precedence in this order. */
function buildEntry(ctx: JobContext, { entry: entryParam, ...flags }: Record<string, unknown>): ManifestEntry {
  const { agentType, keyFindings, needsFollowup, linkedTasks, ...shared } = flags;
  const renamed = { ...shared, agent_type: agentType, key_findings: keyFindings, needs_followup: needsFollowup, linked_tasks: linkedTasks };
  const fieldValues: Record<string, unknown> = {
    date: ctx.now.slice(0, 10),
    agent_type: 'research',
    topics: [],
    key_findings: [],
    actionable: false,
    needs_followup: [],
    linked_tasks: [],
    ...parseEntryParam(entryParam),
    ...defined(renamed),
  };
  const [task] = (fieldValues.linked_tasks as unknown[]) ?? [];
  if (fieldValues.id === undefined && typeof task === 'string' && typeof fieldValues.title === 'string')
    fieldValues.id = createEntryId(task, fieldValues.title);
  const parsed = safeParse(ManifestEntrySchema, fieldValues);
  if (parsed.success) return parsed.output;
  throw toEntryError(ctx, parsed.issues as BaseIssue<unknown>[]);
}

function parseEntryParam(entryParam: unknown): object {
  if (typeof entryParam !== 'string') return (entryParam as object | undefined) ?? {};
  const parsed = checkJson(entryParam);
  if ('problem' in parsed)
    throw new CleoError('E_INVALID_INPUT', {
      problem: `entry is not JSON: ${parsed.problem.slice(0, 200)}`,
      fix: help,
      field: 'entry',
    });
  const { value } = parsed;
  if (isPlainObject(value)) return value;
  throw new CleoError('E_INVALID_INPUT', { problem: 'entry is not a JSON object', fix: help, field: 'entry' });
}

/** Reports issues as dispatch does for parameters: a wrong type (exit 2) before a broken rule (exit 6). */
function toEntryError(ctx: JobContext, issues: BaseIssue<unknown>[]): CleoError {
  const issue = issues.find(({ kind }) => kind === 'schema') ?? issues[0]!;
  const field = String(issue.path?.[0]?.key ?? 'entry');
  if (issue.kind !== 'schema') return new CleoError('E_VALIDATION', { field, problem: issue.message, fix: help });
  const isMissing = issue.received === 'undefined' && issue.path?.length === 1;
  return new CleoError('E_INVALID_INPUT', {
    problem: isMissing ? `${field} is required` : `${field}: ${issue.message}`,
    fix: field === 'status' && isMissing ? formatRetry(ctx, { status: 'complete' }, help) : help,
    field,
  });
}

function findFreeId(id: string, isTaken: (id: string) => boolean): string {
  for (let n = 2; ; n++) if (!isTaken(`${id}-${n}`)) return `${id}-${n}`;
}
