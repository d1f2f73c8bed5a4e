import { relative, resolve, sep } from 'node:path';
import { type BaseIssue, custom, description, metadata, optional, pipe, safeParse, strictObject } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { ManifestEntry } from '../model/manifest.ts';
import { entryIdFor, entryProblem } from '../rules/manifest.ts';
import { EntryReceipt, entryReceipt, manifestOf } from './shared/manifest.ts';

const { entries: fields } = ManifestEntry;
const help = 'cleo help research add';

export const researchAdd = job({
  name: 'research.add',
  summary: 'Append one entry to the research manifest',
  params: strictObject({
    entry: optional(
      pipe(
        custom<string | object>((value) => typeof value === 'string' || isObject(value), 'Expected an object, or JSON text of one'),
        description('The whole entry as JSON; what else is given wins over it'),
        metadata({ jsonSchema: { type: ['object', 'string'] }, value: 'JSON' }),
      ),
    ),
    id: optional(pipe(fields.id, description('Its id; left out, made of the first linked task and the title'))),
    file: optional(fields.file),
    title: optional(fields.title),
    date: optional(pipe(fields.date, description('When it was written; left out, today'))),
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
  cli: { command: 'research add' },
  example: {
    world: ['T001'],
    call: { id: 'T001-parsers', file: 'docs/parsers.md', title: 'Which parsers there are', status: 'complete', linkedTasks: ['T001'] },
  },
  async run(ctx, params) {
    const { platform, project, changes, read } = ctx;
    const entry = wholeEntry(ctx, params);
    const problem = entryProblem(entry);
    if (problem)
      throw new CleoError('E_VALIDATION', {
        field: 'needs_followup',
        problem,
        fix: again(ctx, { needsFollowup: [entry.status === 'partial' ? 'What is left to do' : 'What blocks it'] }),
      });
    const { inProject } = await import('#platform/shared-file.ts');
    const { path } = inProject(project.root, entry.file, help);
    entry.file = relative(project.root, resolve(project.root, entry.file)).split(sep).join('/');
    const isWritten = Boolean(platform.files.readText(path)?.trim());
    await read(async (store) => {
      const [missing] = await store.tasks.missing(entry.linked_tasks);
      if (missing) throw await notFound(store, missing);
    });
    const manifest = await manifestOf(project, ctx.config());
    manifest.add((isTaken) => {
      if (isTaken(entry.id)) throw new CleoError('E_ID_COLLISION', { id: entry.id, fix: again(ctx, { id: freeId(entry.id, isTaken) }) });
      return JSON.stringify(entry);
    });
    changes.created.push(entry.id);
    const early = `${entry.file} is not written yet; the file comes before its line (BASE-004)`;
    return answer({ entry: entryReceipt(entry) }, isWritten ? {} : { warnings: [early] });
  },
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entry with what is given beside it, and what goes without saying. */
function wholeEntry(ctx: JobContext, { entry: given, ...flags }: Record<string, unknown>): ManifestEntry {
  const { agentType, keyFindings, needsFollowup, linkedTasks, ...same } = flags;
  const named = { ...same, agent_type: agentType, key_findings: keyFindings, needs_followup: needsFollowup, linked_tasks: linkedTasks };
  const said: Record<string, unknown> = {
    date: ctx.now.slice(0, 10),
    agent_type: 'research',
    topics: [],
    key_findings: [],
    actionable: false,
    needs_followup: [],
    linked_tasks: [],
    ...parsedEntry(given),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
  };
  const [task] = (said.linked_tasks as unknown[]) ?? [];
  if (said.id === undefined && typeof task === 'string' && typeof said.title === 'string') said.id = entryIdFor(task, said.title);
  const read = safeParse(ManifestEntry, said);
  if (read.success) return read.output;
  throw refusalOf(ctx, read.issues as BaseIssue<unknown>[]);
}

function parsedEntry(given: unknown): object {
  if (typeof given !== 'string') return (given as object | undefined) ?? {};
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    throw new CleoError('E_INVALID_INPUT', {
      problem: `entry (--entry) is no JSON: ${(error as Error).message.slice(0, 200)}`,
      fix: help,
      field: 'entry',
    });
  }
  if (isObject(value)) return value;
  throw new CleoError('E_INVALID_INPUT', { problem: 'entry (--entry) is not one object', fix: help, field: 'entry' });
}

/** As dispatch refuses parameters: the wrong shape (2) before a broken rule (6). */
function refusalOf(ctx: JobContext, issues: BaseIssue<unknown>[]): CleoError {
  const issue = issues.find(({ kind }) => kind === 'schema') ?? issues[0]!;
  const field = String(issue.path?.[0]?.key ?? 'entry');
  if (issue.kind !== 'schema') return new CleoError('E_VALIDATION', { field, problem: issue.message, fix: help });
  const isMissing = issue.received === 'undefined' && issue.path?.length === 1;
  return new CleoError('E_INVALID_INPUT', {
    problem: isMissing ? `${field} is required` : `${field}: ${issue.message}`,
    fix: field === 'status' && isMissing ? again(ctx, { status: 'complete' }) : help,
    field,
  });
}

/** The same call with something else, where that is a line to be copied. */
function again({ commandWith }: JobContext, params: Record<string, unknown>): string {
  const command = commandWith(params);
  return command.length <= 1000 && !/[\0-\x1f]/.test(command) ? command : help;
}

function freeId(id: string, isTaken: (id: string) => boolean): string {
  for (let n = 2; ; n++) if (!isTaken(`${id}-${n}`)) return `${id}-${n}`;
}
