import { array, boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { budgetOf, pageParams } from '#core/page.ts';
import { cutOf } from '#lib/page.ts';
import type { ReadStore } from '#store/port.ts';
import { Grade } from '../model/grade.ts';
import { gradesIn, trendsOf } from '../rules/grade-history.ts';
import { gradesFile, withLetter } from './shared/graded.ts';

const GradeRow = strictObject({ ...Grade.entries, score: pipe(string(), description('As in 85/100')) });
const Trend = strictObject({ agent: string(), sessions: number(), average: number(), last: number(), scores: array(number()) });

export const adminGradeList = query({
  name: 'admin.grade.list',
  summary: 'List the grades that were given, newest first, or how they went, agent by agent',
  params: strictObject({ ...pageParams(50), trend: optional(pipe(boolean(), description('How the grades of each agent went'))) }),
  result: strictObject({ grades: array(GradeRow), trend: optional(array(Trend)) }),
  errors: [],
  tier: 2,
  needs: 'project',
  cli: { command: 'grade', select: 'list', selectedBy: ['trend'], isDefault: true },
  example: { call: {}, exit: 100 },
  async run({ platform, project, read }, { limit, offset, budget, trend }) {
    const { grades: all, strange } = gradesIn(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '');
    const sessions = [...new Set(all.map(({ sessionId }) => sessionId))];
    const agents = trend && all.length > 0 ? await read((store) => agentsOf(store, sessions)) : undefined;
    const grades = all
      .toReversed()
      .slice(offset, offset + limit)
      .map((grade) => ({ ...withLetter(grade), score: `${grade.totalScore}/${grade.maxScore}` }));
    return answer(
      { ...(agents ? { trend: trendsOf(all, (sessionId) => agents.get(sessionId) ?? 'unknown') } : {}), grades },
      {
        ...(grades.length === 0 ? { exit: 100 as const } : {}),
        ...(strange > 0
          ? { warnings: [`${gradesFile}: ${strange} ${strange === 1 ? 'line is' : 'lines are'} no grade; see cleo doctor`] }
          : {}),
        truncated: cutOf(grades.length, all.length),
        ...budgetOf({ limit, offset, budget }),
      },
    );
  },
});

/** Who began each session; of one that was never started, whose call comes last in the log. */
async function agentsOf(store: ReadStore, sessions: string[]): Promise<Map<string, string>> {
  const agents = new Map<string, string>();
  for (const id of sessions) {
    const agent =
      (await store.sessions.get(id))?.startedBy ?? (await store.audit.newest({ session: id }, { limit: 1, offset: 0 }))[0]?.agent;
    if (agent) agents.set(id, agent);
  }
  return agents;
}
