import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import { AgentType, type ReadEntry, ResearchStatus, Topic } from '../model/manifest.ts';
import { matches } from '../rules/manifest.ts';
import { manifestOf, warningsOf } from './shared/manifest.ts';

const Row = strictObject({
  id: string(),
  title: string(),
  status: ResearchStatus,
  date: optional(string()),
  agent_type: optional(string()),
  topics: array(string()),
  linked_tasks: array(string()),
  needs_followup: optional(array(string())),
});

export const researchList = query({
  name: 'research.list',
  summary: 'List the entries of the research manifest, newest first, without their findings',
  params: strictObject({
    ...pageParams(50),
    status: optional(pipe(ResearchStatus, description('Only those that ended so'))),
    topic: optional(pipe(Topic, description('Only those about this'))),
    agentType: optional(pipe(AgentType, description('Only this kind of work'))),
    task: optional(pipe(TaskId, description('Only those that belong to this task'))),
    needsFollowup: optional(pipe(boolean(), description('Only those that leave something to do'))),
  }),
  paramAliases: { agent_type: 'agentType', taskId: 'task', needs_followup: 'needsFollowup' },
  result: strictObject({ entries: array(Row) }),
  errors: ['E_FILE_ERROR'],
  tier: 0,
  needs: 'project',
  cli: { command: ['research list', 'research'] },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { status: 'complete' } },
  async run({ project, config }, { limit, offset, budget, ...filter }) {
    const manifest = await manifestOf(project, config);
    const { entries: all, problems } = manifest.read();
    const found = all.map(({ entry }) => entry).filter((entry) => matches(entry, filter));
    const entries = found
      .toReversed()
      .slice(offset, offset + limit)
      .map(rowOf);
    return answer(
      { entries },
      {
        ...(entries.length === 0 ? { exit: 100 as const } : {}),
        warnings: warningsOf(manifest.name, problems),
        truncated: cutOf(entries.length, found.length),
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});

const rowOf = ({ id, title, status, date, agent_type, topics, linked_tasks, needs_followup }: ReadEntry) => ({
  id,
  title,
  status,
  ...(date === undefined ? {} : { date }),
  ...(agent_type === undefined ? {} : { agent_type }),
  topics,
  linked_tasks,
  ...(needs_followup.length > 0 ? { needs_followup } : {}),
});
