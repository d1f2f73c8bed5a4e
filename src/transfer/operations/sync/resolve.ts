import { array, optional, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { findConflictMarker } from '../../rules/plan/conflict.ts';
import { resolveConflict } from '../../rules/plan/merge-files.ts';
import { getPlanFolder } from '../shared/plan-stats.ts';
import { FileProblemSchema } from '../shared/sync-result.ts';

const maxFileBytes = 16 << 20;

export const syncResolve = job({
  name: 'sync.resolve',
  summary: 'Resolve the conflict markers in plan files',
  params: strictObject({}),
  result: strictObject({ resolved: array(string()), problems: optional(array(FileProblemSchema)), next: optional(string()) }),
  errors: ['E_FILE_ERROR', 'E_NOT_INITIALIZED'],
  tier: 1,
  // It uses no store. The server logs it.
  steps: [],
  needs: 'project',
  usesHost: true,
  cli: { command: 'sync', select: 'resolve' },
  example: { call: {}, exit: 102 },
  async run({ platform, project }) {
    const planFiles = await platform.loadPlanFiles();
    const { folder } = await getPlanFolder(platform, project);
    const resolved: string[] = [];
    const problems: { file: string; line: number; problem: string }[] = [];
    for (const name of planFiles.list(folder).keys()) {
      const bytes = name.endsWith('.json') ? planFiles.read(folder, name, maxFileBytes) : undefined;
      const text = bytes && Buffer.from(bytes).toString('utf8');
      if (text === undefined || !findConflictMarker(text)) continue;
      const merged = resolveConflict(text);
      const file = `.cleo/plan/${name}`;
      if ('problem' in merged) problems.push({ file, line: merged.problem.line, problem: merged.problem.message });
      else {
        planFiles.write(folder, name, merged.text);
        resolved.push(file);
      }
    }
    const next = resolved.length > 0 ? { next: 'git add .cleo/plan && cleo sync' } : {};
    return answer(
      { resolved, ...(problems.length > 0 ? { problems } : {}), ...next },
      resolved.length === 0 ? { exit: 102, isUnlogged: true } : {},
    );
  },
});
