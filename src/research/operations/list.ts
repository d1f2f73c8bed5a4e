import { array, boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { pageParams, toBudget } from '#core/page.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import { AgentType, type ParsedEntry, ResearchStatusSchema, Topic } from '../model/manifest.ts';
import { matchesEntryFilter } from '../rules/manifest.ts';
import { formatManifestWarnings, openManifest } from './shared/manifest.ts';

const Row = strictObject({
  id: string(),
  title: string(),
  status: ResearchStatusSchema,
  date: optional(string()),
  agent_type: optional(string()),
  topics: array(string()),
  linked_tasks: array(string()),
  needs_followup: optional(array(string())),
});

export const researchList = query({
  name: 'research.list',
  summary: 'List research entries, newest first',
  params: strictObject({
    ...pageParams(50),
    status: optional(pipe(ResearchStatusSchema, description('Only entries with this status'))),
    topic: optional(pipe(Topic, description('Only entries with this topic'), metadata({ isRare: true }))),
    agentType: optional(pipe(AgentType, description('Only entries of this kind of work'), metadata({ isRare: true }))),
    task: optional(pipe(TaskIdSchema, description('Only entries that belong to this task'))),
    needsFollowup: optional(pipe(boolean(), description('Only entries with remaining work'), metadata({ isRare: true }))),
  }),
  paramAliases: { agent_type: 'agentType', taskId: 'task', needs_followup: 'needsFollowup' },
  result: strictObject({ entries: array(Row) }),
  errors: ['E_FILE_ERROR'],
  tier: 0,
  needs: 'project',
  runsOn: 'server',
  shares: ['research', 'researchArchive'],
  cli: { command: ['research list', 'research'], view: async () => (await import('../view.ts')).researchView },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: { status: 'complete' } },
  async run({ project, config }, { limit, offset, budget, ...filter }) {
    const manifest = await openManifest(project, config);
    const { entries: all, problems } = manifest.read();
    const matching = all.map(({ entry }) => entry).filter((entry) => matchesEntryFilter(entry, filter));
    const entries = matching
      .toReversed()
      .slice(offset, offset + limit)
      .map(toRow);
    return answer(
      { entries },
      {
        ...(entries.length === 0 ? { exit: 100 as const } : {}),
        warnings: formatManifestWarnings(manifest.name, problems),
        truncated: toTruncation(entries.length, matching.length),
        ...toBudget({ limit, offset, budget }),
      },
    );
  },
});

const toRow = ({ id, title, status, date, agent_type, topics, linked_tasks, needs_followup }: ParsedEntry) => ({
  id,
  title,
  status,
  ...defined({ date, agent_type }),
  topics,
  linked_tasks,
  ...omitEmpty({ needs_followup }),
});
