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
import { pageParams, toBudget } from '#core/page.ts';
import { toTruncation } from '#lib/page.ts';
import { countBy, getCountedEvent, groupings } from '../../rules/trace-query.ts';
import { createTraceFilter, filterParams, readMatchingTraces } from '../shared/trace-filter.ts';

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
  summary: 'Count events and failures of all traces by group',
  params: strictObject({
    groupBy: pipe(
      array(picklist(groupings)),
      minLength(1, 'must name at least one field'),
      maxLength(4, 'must name at most 4'),
      description('Fields to group by, such as phase,status; check counts the checks of gates'),
      metadata({ value: 'FIELD,...' }),
    ),
    ...filterParams,
    ...pageParams(50),
  }),
  result: strictObject({ groups: array(GroupShape), event: string(), traces: number() }),
  errors: ['E_SKILL'],
  tier: 2,
  needs: 'project',
  exitNamespace: 'skill',
  shares: ['runs'],
  cli: { command: 'trace query', select: 'groupBy', view: async () => (await import('../../view.ts')).runView },
  example: { world: ['trace run-a failure', 'trace run-b'], call: { groupBy: ['check'], gate: 'precondition' } },
  async run({ platform, project, now }, { groupBy, limit, offset, budget, ...params }) {
    const runner = await platform.createRunner(project);
    const filter = createTraceFilter(now, params);
    const counter = countBy(groupBy, filter);
    const { warnings, traces } = readMatchingTraces(runner, filter, counter.step);
    const all = counter.end();
    const groups = all.slice(offset, offset + limit);
    return answer(
      { groups, event: getCountedEvent(filter, groupBy), traces },
      {
        ...(groups.length === 0 ? { exit: 100 as const } : {}),
        warnings,
        truncated: toTruncation(groups.length, all.length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});
