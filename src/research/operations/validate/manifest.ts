import { array, description, maxLength, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { canonicalId, type TaskId } from '#core/model/scalars.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { ReadEntry } from '../../model/manifest.ts';
import { entryFor, type Manifest, tasksOf } from '../../rules/manifest.ts';
import { outputProblems } from '../../rules/output-file.ts';
import { entryIn, manifestOf, noEntry } from '../shared/manifest.ts';
import { missingEntry } from '../shared/missing-entry.ts';
import { epicAbove, outputOf } from '../shared/output.ts';

const mostShown = 100;

const Finding = strictObject({ entryId: optional(string()), line: number(), part: string(), message: string() });

export const validateManifest = query({
  name: 'validate.manifest',
  summary: 'Check the output file of an entry, or of all: title, header as in its line, Summary and Content',
  params: strictObject({
    entryId: optional(
      pipe(
        string(),
        maxLength(200, 'must have at most 200 characters'),
        description('The entry, or the task whose entry is meant; left out, all of them'),
        metadata({ value: 'ENTRY' }),
      ),
    ),
  }),
  paramAliases: { taskId: 'entryId' },
  result: strictObject({ findings: array(Finding), checked: number() }),
  errors: ['E_VALIDATION', 'E_NOT_FOUND', 'E_MANIFEST_ENTRY_MISSING', 'E_FILE_ERROR'],
  tier: 1,
  cli: { command: 'validate manifest', args: ['entryId'] },
  example: { world: ['T001'], call: {}, exit: 100 },
  async run(ctx, { entryId }) {
    const manifest = (await manifestOf(ctx.project, ctx.config)).read();
    const entries = entryId === undefined ? manifest.entries : [await oneOf(ctx, manifest, entryId)];
    const findings =
      entryId === undefined
        ? manifest.problems.map(({ line, problem }) => ({ line, part: 'line', message: `line ${line} ${problem}` }))
        : [];
    for (const { entry, line } of entries) findings.push(...(await findingsOf(ctx, entry)).map((finding) => ({ ...finding, line })));
    const [first] = findings;
    if (first)
      throw new CleoError('E_VALIDATION', {
        field: 'manifest',
        problem: `has ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}: ${first.message}`,
        fix: 'entryId' in first ? `cleo research show ${quote(String(first.entryId))}` : 'cleo research stats',
        findings: findings.slice(0, mostShown),
      });
    return answer({ findings: [], checked: entries.length }, entries.length === 0 ? { exit: 100 } : {});
  },
});

async function oneOf(ctx: QueryContext, manifest: Manifest, id: string): Promise<Manifest['entries'][number]> {
  const taskId = canonicalId(id);
  if (taskId) await requireTask(ctx.store, taskId);
  const entry = taskId ? entryFor(manifest, taskId) : entryIn(manifest, id);
  if (taskId && !entry) throw await missingEntry(ctx, taskId);
  if (!entry) throw noEntry(id, manifest);
  return manifest.entries.find((one) => one.entry === entry)!;
}

async function findingsOf({ store, platform, project }: QueryContext, entry: ReadEntry) {
  const found = await outputOf(platform, project, entry);
  const finding = (part: string, problem: string) => ({ entryId: entry.id, part, message: `${entry.file} ${problem}` });
  if (!found) return [finding('file', 'is not there')];
  const epics = new Map<TaskId, TaskId | undefined>();
  for (const taskId of tasksOf(entry)) epics.set(taskId, await epicAbove(store, taskId));
  return outputProblems(found.output, entry, (taskId) => epics.get(taskId)).map(({ part, problem }) => finding(part, problem));
}
