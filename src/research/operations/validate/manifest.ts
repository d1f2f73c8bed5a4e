import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { pluralize } from '#lib/pluralize.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { ParsedEntry } from '../../model/manifest.ts';
import { findTaskEntry, listEntryTasks, type ParsedManifest } from '../../rules/manifest.ts';
import { checkOutput } from '../../rules/output-file.ts';
import { createMissingEntryError, findEpicId, readOutputFile } from '../shared/entry-output.ts';
import { createEntryNotFoundError, findEntry, openManifest } from '../shared/manifest.ts';
import { EntryIdParam } from '../show.ts';

const maxFindings = 100;

const Finding = strictObject({ entryId: optional(string()), line: number(), part: string(), message: string() });

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
  runsOn: 'both',
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
    for (const { entry, line } of entries) findings.push(...(await checkEntryFile(ctx, entry)).map((finding) => ({ ...finding, line })));
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

async function checkEntryFile({ store, platform, project }: QueryContext, entry: ParsedEntry) {
  const outputFile = await readOutputFile(platform, project, entry);
  const toFinding = (part: string, problem: string) => ({ entryId: entry.id, part, message: `${entry.file} ${problem}` });
  if (!outputFile) return [toFinding('file', 'is missing')];
  const epics = new Map<TaskId, TaskId | undefined>();
  for (const taskId of listEntryTasks(entry)) epics.set(taskId, await findEpicId(store, taskId));
  return checkOutput(outputFile.output, entry, (taskId) => epics.get(taskId)).map(({ part, problem }) => toFinding(part, problem));
}
