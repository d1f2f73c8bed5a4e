import { array, boolean, description, maxLength, minLength, number, optional, picklist, pipe, strictObject, string, union } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { requestFacts } from '#core/observation.ts';
import { limitParam } from '#core/page.ts';
import { checkAncestryInScope } from '#tasks/operations/shared/scope.ts';
import { maxContentLength, readWhole, type SourceFile, SourceName, SourceText } from '../model/foreign.ts';
import { importTools } from '../rules/detect-tool.ts';
import { conflictPolicies } from '../rules/three-way.ts';
import type { NativeImport } from './shared/import-native.ts';
import { formatReport, reportFile, writeReport } from './shared/import-report.ts';

export const tasksImport = mutation({
  name: 'tasks.import',
  summary: 'Import tasks from an export or another tool',
  params: strictObject({
    content: pipe(
      union([
        pipe(string(), minLength(1, 'must not be empty'), maxLength(maxContentLength, 'must have at most 256 MiB')),
        pipe(
          array(strictObject({ name: pipe(string(), maxLength(1000, 'must have at most 1000 characters')), text: SourceText })),
          minLength(1, 'must not be empty'),
          maxLength(100_000, 'must have at most 100000 files'),
        ),
      ]),
      description('One text, or files with names; on the command line a file, a folder or -'),
    ),
    from: optional(pipe(picklist(['native', ...importTools]), description('Tool that wrote it; native: cleo export')), 'native'),
    source: optional(pipe(SourceName, description('Name of this source, to import several of the same tool'))),
    renumber: optional(pipe(boolean(), description('Import the tasks of an export as copies with new ids'))),
    strict: optional(pipe(boolean(), description('Import nothing if a record cannot be read as it is'))),
    onConflict: optional(
      pipe(picklist(conflictPolicies), description('Value that wins if it changed here and in the source; newer: the later one')),
      'newer',
    ),
    prune: optional(pipe(boolean(), description('Archive tasks whose records are gone from the source'))),
    report: optional(pipe(FilePath, description('Write all losses, conflicts and ids to this file inside the project, as JSON Lines'))),
    limit: limitParam(50, 'Maximum number of losses, conflicts and ids to report'),
  }),
  result: strictObject({
    imported: number(),
    updated: optional(number()),
    unchanged: optional(number()),
    pruned: optional(number()),
    memories: optional(number()),
    report: optional(string()),
    conflicts: optional(array(strictObject({ id: string(), taskId: string(), field: string(), kept: picklist(['ours', 'theirs']) }))),
    conflictCount: optional(number()),
    lossGroups: optional(array(strictObject({ count: number(), field: string(), why: string(), examples: array(string()) }))),
    losses: optional(array(strictObject({ id: string(), field: string(), why: string() }))),
    lossCount: optional(number()),
    ids: optional(array(strictObject({ id: string(), taskId: string() }))),
    idCount: optional(number()),
  }),
  errors: [
    'E_ID_COLLISION',
    'E_PARENT_NOT_FOUND',
    'E_NOT_FOUND',
    'E_INVALID_PARENT_TYPE',
    'E_DEPTH_EXCEEDED',
    'E_CIRCULAR_REFERENCE',
    'E_INVALID_RELATION',
    'E_TASK_COMPLETED',
    'E_TASK_NOT_IN_SCOPE',
    'E_FILE_ERROR',
  ],
  tier: 1,
  observes: [reportFile],
  observeFirst: ({ report }) => (report === undefined ? [] : [requestFacts(reportFile, { report })]),
  // A report is most useful before the import.
  appliesInDryRun: true,
  apply: async (ctx, { report }, { text }) => writeReport(ctx, report!, String(text)),
  maxBodyBytes: 256 << 20,
  redactedParams: ['content'],
  progress: async () => (await import('../rules/import-progress.ts')).importProgress,
  cli: {
    command: 'import',
    args: ['content'],
    read: { content: { as: 'text', files: async (params) => (await import('./shared/import-readers.ts')).selectSourceFiles(params) } },
    view: async () => (await import('../view.ts')).importView,
  },
  dryRun: true,
  example: {
    call: {
      content:
        '{"id":"bd-a1","title":"Write the parser","status":"open","priority":1,"issue_type":"feature","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}\n',
      from: 'beads',
    },
  },
  async run(ctx, { content, from, source, renumber = false, limit, ...options }) {
    checkAncestryInScope(ctx.session, []);
    const files: SourceFile[] = typeof content === 'string' ? [{ name: '', text: content }] : content;
    if (files.reduce((size, { text }) => size + text.length, 0) > maxContentLength)
      throw new CleoError('E_VALIDATION', { field: 'content', problem: 'must have at most 256 MiB', fix: 'cleo help import' });
    if (from === 'native') {
      const { ids, unchanged, warnings } = await importNative(ctx, files, renumber);
      const { report } = options;
      const text = report === undefined ? undefined : formatReport(ctx.gateway, { losses: [], conflicts: [], ids });
      const renumbered = renumber ? ids : ids.filter(({ id, taskId }) => id !== taskId);
      return answer(
        {
          imported: ids.length,
          ...(unchanged > 0 ? { unchanged } : {}),
          ...(report === undefined ? {} : { report }),
          ...(renumbered.length > 0 ? { ids: renumbered.slice(0, limit) } : {}),
          ...(renumbered.length > limit ? { idCount: renumbered.length } : {}),
        },
        { ...(ids.length === 0 ? { exit: 102 as const } : {}), warnings, ...(text === undefined ? {} : { apply: { text } }) },
      );
    }
    const { strict: isStrict = false, onConflict: policy, prune: prunes = false, report } = options;
    const { loadReader } = await import('./shared/import-readers.ts');
    const { importForeign } = await import('./shared/import-foreign.ts');
    const { groupLosses } = await import('../rules/group-losses.ts');
    const read = await loadReader[from]();
    const imported = await importForeign(ctx, read(files), source ? `${from}:${source}` : from, {
      tool: from,
      policy,
      isStrict,
      prunes,
      takesTimes: true,
    });
    const text = report === undefined ? undefined : formatReport(ctx.gateway, imported);
    const { losses, conflicts, ids, warnings, pruned, memories, ...counts } = imported;
    const limitList = <K extends string, T>(key: K, countKey: string, list: T[]) => ({
      [key]: list.slice(0, limit),
      ...(list.length > limit ? { [countKey]: list.length } : {}),
    });
    return answer(
      {
        ...counts,
        ...(pruned > 0 ? { pruned } : {}),
        ...(memories > 0 ? { memories } : {}),
        ...(report === undefined ? {} : { report }),
        ...(conflicts.length > 0 ? limitList('conflicts', 'conflictCount', conflicts) : {}),
        lossGroups: groupLosses(losses),
        ...limitList(
          'losses',
          'lossCount',
          losses.map(({ id, field, why }) => ({ id, field, why })),
        ),
        ...limitList('ids', 'idCount', ids),
      },
      {
        ...(counts.imported + counts.updated + memories === 0 ? { exit: 102 as const } : {}),
        warnings,
        ...(text === undefined ? {} : { apply: { text } }),
      },
    );
  },
});

/** Imports an export of cleo. A file of another tool is rejected with the right `--from`. */
async function importNative(ctx: MutationContext, files: SourceFile[], renumber: boolean): Promise<NativeImport> {
  const { detectTool } = await import('../rules/detect-tool.ts');
  const tool = detectTool(files);
  const [file, ...more] = files;
  if (tool || more.length > 0 || !file)
    throw new CleoError('E_INVALID_INPUT', {
      problem: tool
        ? `This was written by ${tool}, not by cleo export; nothing was imported`
        : 'An export of cleo is one file; nothing was imported',
      fix: tool ? ctx.commandWith({ from: tool }) : 'cleo help import',
      field: 'from',
      ...(tool ? { suggestions: [tool] } : {}),
    });
  return (await import('./shared/import-native.ts')).importTasks(ctx, readWhole(file), renumber);
}
