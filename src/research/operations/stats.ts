import { array, number, record, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { countValues } from '#lib/collections.ts';
import { openManifest } from './shared/manifest.ts';

const maxTopics = 10;
const maxProblems = 100;

const Stats = strictObject({
  file: string(),
  entries: number(),
  byStatus: record(string(), number()),
  byAgentType: record(string(), number()),
  topics: array(strictObject({ topic: string(), entries: number() })),
  needFollowup: number(),
  unlinked: number(),
  archived: number(),
  problems: array(strictObject({ line: number(), problem: string() })),
});

export const researchStats = query({
  name: 'research.stats',
  summary: 'Show statistics and invalid lines of the manifest',
  params: strictObject({}),
  result: strictObject({ stats: Stats }),
  errors: ['E_FILE_ERROR'],
  tier: 1,
  needs: 'project',
  runsOn: 'server',
  shares: ['research', 'researchArchive'],
  cli: { command: 'research stats' },
  example: { world: ['T001', 'research T001-parsers: Which parsers there are'], call: {} },
  async run({ project, config }) {
    const manifest = await openManifest(project, config);
    const { entries: all, problems } = manifest.read();
    const entries = all.map(({ entry }) => entry);
    const topics = Object.entries(countValues(entries.flatMap(({ topics }) => [...new Set(topics)])));
    const stats = {
      file: manifest.name,
      entries: entries.length,
      byStatus: countValues(entries.map(({ status }) => status)),
      byAgentType: countValues(entries.map(({ agent_type }) => agent_type ?? 'unknown')),
      topics: topics
        .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
        .slice(0, maxTopics)
        .map(([topic, count]) => ({ topic, entries: count })),
      needFollowup: entries.filter(({ needs_followup }) => needs_followup.length > 0).length,
      unlinked: entries.filter(({ linked_tasks }) => linked_tasks.length === 0).length,
      archived: manifest.archived().entries.length,
      problems: problems.slice(0, maxProblems),
    };
    return entries.length + problems.length === 0 ? noData({ stats }) : { stats };
  },
});
