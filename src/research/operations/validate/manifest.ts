import { array, description, number, object, optional, pipe, record, strictObject, string } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { observation } from '#core/observation.ts';
import { pluralize } from '#lib/noun.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { ParsedEntrySchema } from '../../model/manifest.ts';
import { findTaskEntry, listEntryTasks, type ParsedManifest } from '../../rules/manifest.ts';
import { checkOutput } from '../../rules/output-file.ts';
import { createMissingEntryError, findEpicId, newestOutput, readOutputFile } from '../shared/entry-output.ts';
import { createEntryNotFoundError, findEntry, openManifest } from '../shared/manifest.ts';
import { EntryIdParam } from '../show.ts';

const maxFindings = 100;

const Finding = strictObject({ entryId: optional(string()), line: number(), part: string(), message: string() });

/** The problems of the output files of entries in the checkout of the caller. */
const outputProblems = observation({
  name: 'checkout.output-problems',
  request: object({ entries: array(ParsedEntrySchema), epics: record(string(), string()) }),
  /** A list for each entry. */
  facts: object({ problems: array(array(object({ part: string(), problem: string() }))) }),
  async observe({ platform, project }, { entries, epics }) {
    const problems: { part: string; problem: string }[][] = [];
    for (const entry of entries) {
      const found = await readOutputFile(platform, project, entry);
      problems.push(found ? checkOutput(found.output, entry, (taskId) => epics[taskId]) : [{ part: 'file', problem: 'is missing' }]);
    }
    return { problems };
  },
});

export const validateManifest = query({
  name: 'validate.manifest',
  summary: 'Check research output files against their entries',
  params: strictObject({
    entryId: optional(pipe(EntryIdParam, description('Entry id, or a task id for its entry; all entries by default'))),
  }),
  paramAliases: { taskId: 'entryId' },
  result: strictObject({ findings: array(Finding), checked: number() }),
  errors: ['E_VALIDATION', 'E_NOT_FOUND', 'E_MANIFEST_ENTRY_MISSING', 'E_FILE_ERROR'],
  tier: 1,
  observes: [outputProblems, newestOutput],
  maxBodyBytes: 8 << 20,
  shares: ['research', 'researchArchive'],
  cli: { command: 'validate manifest', args: ['entryId'] },
  example: { world: ['T001'], call: {}, exit: 100 },
  async run(ctx, { entryId }) {
    const manifest = (await openManifest(ctx.project, ctx.config)).read();
    const entries = entryId === undefined ? manifest.entries : [await requireEntry(ctx, manifest, entryId)];
    const findings =
      entryId === undefined
        ? manifest.problems.map(({ line, problem }) => ({ line, part: 'line', message: `line ${line} ${problem}` }))
        : [];
    findings.push(...(await checkEntryFiles(ctx, entries)));
    const [first] = findings;
    if (first)
      throw new CleoError('E_VALIDATION', {
        field: 'manifest',
        problem: `has ${pluralize(findings.length, 'finding')}: ${first.message}`,
        fix: 'entryId' in first ? `cleo research show ${quote(String(first.entryId))}` : 'cleo research stats',
        findings: findings.slice(0, maxFindings),
      });
    return answer({ findings: [], checked: entries.length }, entries.length === 0 ? { exit: 100 } : {});
  },
});

async function requireEntry(ctx: QueryContext, manifest: ParsedManifest, id: string): Promise<ParsedManifest['entries'][number]> {
  const taskId = parseTaskId(id);
  if (taskId) await requireTask(ctx.store, taskId);
  const entry = taskId ? findTaskEntry(manifest, taskId) : findEntry(manifest, id);
  if (taskId && !entry) throw await createMissingEntryError(ctx, taskId);
  if (!entry) throw createEntryNotFoundError(id, manifest);
  return manifest.entries.find((one) => one.entry === entry)!;
}

/** Checks the files of all entries. They are asked for at once, so that they are one more request through a server. */
async function checkEntryFiles({ store, getFacts }: QueryContext, entries: ParsedManifest['entries']) {
  const epics: Record<TaskId, TaskId> = {};
  for (const taskId of new Set(entries.flatMap(({ entry }) => listEntryTasks(entry)))) {
    const epic = await findEpicId(store, taskId);
    if (epic !== undefined) epics[taskId] = epic;
  }
  const found = await getFacts(outputProblems, { entries: entries.map(({ entry }) => entry), epics });
  return entries.flatMap(({ entry, line }, i) =>
    (found.problems[i] ?? []).map(({ part, problem }) => ({ entryId: entry.id, part, message: `${entry.file} ${problem}`, line })),
  );
}
