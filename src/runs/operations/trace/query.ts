import { array, strictObject } from 'valibot';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { pageParams, toBudget } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import type { TraceLine } from '../../model/trace.ts';
import { matchesFilter } from '../../rules/trace-query.ts';
import { createTraceFilter, filterParams, readMatchingTraces } from '../shared/trace-filter.ts';
import { TraceLineShape } from '../shared/trace-shapes.ts';

export const traceQuery = query({
  name: 'trace.query',
  summary: 'Find events in all traces, newest first',
  params: strictObject({ ...filterParams, ...pageParams(50) }),
  result: strictObject({ lines: array(TraceLineShape) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace query', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a failure'], call: { event: 'gate_checked', status: 'failed' } },
  async run({ platform, project, now }, { limit, offset, budget, ...params }) {
    const runner = await platform.createRunner(project);
    const filter = createTraceFilter(now, params);
    const found: TraceLine[] = [];
    const { warnings } = readMatchingTraces(runner, filter, (line) => {
      if (matchesFilter(line, filter)) found.push(line);
    });
    const lines = found
      .sort((one, other) => (one.ts === other.ts ? other.seq - one.seq : one.ts < other.ts ? 1 : -1))
      .slice(offset, offset + limit);
    return answer(
      { lines },
      {
        ...(lines.length === 0 ? { exit: 100 as const } : {}),
        warnings,
        truncated: toTruncation(lines.length, found.length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});
