import { array, strictObject } from 'valibot';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import type { TraceLine } from '../../model/trace.ts';
import { matches } from '../../rules/trace-query.ts';
import { everyLine, filterOf, filterParams } from '../shared/filter.ts';
import { Line } from '../shared/trace-shapes.ts';

export const traceQuery = query({
  name: 'trace.query',
  summary: 'Find events in all traces, newest first',
  params: strictObject({ ...filterParams, ...pageParams(50) }),
  result: strictObject({ lines: array(Line) }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace query' },
  example: { world: ['trace run-a failure'], call: { event: 'gate_checked', status: 'failed' } },
  async run({ platform, project, now }, { limit, offset, budget, ...asked }) {
    const ground = await platform.ground(project);
    const filter = filterOf(now, asked);
    const found: TraceLine[] = [];
    const { warnings } = everyLine(ground, filter, (line) => {
      if (matches(line, filter)) found.push(line);
    });
    const lines = found
      .sort((one, other) => (one.ts === other.ts ? other.seq - one.seq : one.ts < other.ts ? 1 : -1))
      .slice(offset, offset + limit);
    return answer(
      { lines },
      {
        ...(lines.length === 0 ? { exit: 100 as const } : {}),
        warnings,
        truncated: cutOf(lines.length, found.length),
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});
