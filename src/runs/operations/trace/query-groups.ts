import {
  array,
  description,
  maxLength,
  metadata,
  minLength,
  nullable,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';
import '../../errors/skill.ts';
import { answer, query } from '#core/define.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { countedEvent, countingBy, groupings } from '../../rules/trace-query.ts';
import { everyLine, filterOf, filterParams } from '../shared/filter.ts';

const GroupShape = strictObject({
  ...(Object.fromEntries(groupings.map((name) => [name, optional(string())])) as Record<
    (typeof groupings)[number],
    ReturnType<typeof optional<ReturnType<typeof string>, undefined>>
  >),
  count: number(),
  failed: number(),
  failureRate: nullable(number()),
  medianMs: nullable(number()),
});

export const traceQueryGroups = query({
  name: 'trace.query.groups',
  summary: 'Count events of all traces by what they have in common, and how many of them failed',
  params: strictObject({
    groupBy: pipe(
      array(picklist(groupings)),
      minLength(1, 'must name something'),
      maxLength(4, 'must name at most 4'),
      description('What to count by, e.g. phase,status; check counts the checks of gates'),
      metadata({ value: 'FIELD,...' }),
    ),
    ...filterParams,
    ...pageParams(50),
  }),
  result: strictObject({ groups: array(GroupShape), event: string(), traces: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exits: 'skill',
  cli: { command: 'trace query', select: 'groupBy' },
  example: { world: ['trace run-a failure', 'trace run-b'], call: { groupBy: ['check'], gate: 'precondition' } },
  async run({ platform, project, now }, { groupBy, limit, offset, budget, ...asked }) {
    const ground = await platform.ground(project);
    const filter = filterOf(now, asked);
    const counting = countingBy(groupBy, filter);
    const { warnings, traces } = everyLine(ground, filter, counting.step);
    const all = counting.end();
    const groups = all.slice(offset, offset + limit);
    return answer(
      { groups, event: countedEvent(filter, groupBy), traces },
      {
        ...(groups.length === 0 ? { exit: 100 as const } : {}),
        warnings,
        truncated: cutOf(groups.length, all.length),
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});
