import { array, boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { GradeSchema, TrendSchema } from '../model/grade.ts';
import { gradesFile } from '../model/grade-files.ts';
import { computeTrends, parseGrades } from '../rules/grade-history.ts';
import { toGrade } from './shared/grade-session.ts';

const GradeRow = strictObject({
  ...GradeSchema.entries,
  score: pipe(string(), description('Score as text, e.g. 85/100')),
  flagCount: pipe(number(), description('Number of flags')),
});

export const adminGradeList = query({
  name: 'admin.grade.list',
  summary: 'List grades, newest first, or their trend per agent',
  params: strictObject({ ...pageParams(50), trend: optional(pipe(boolean(), description('Add the trend of each agent'))) }),
  result: strictObject({ grades: array(GradeRow), trend: optional(array(TrendSchema)) }),
  errors: [],
  tier: 2,
  needs: 'project',
  cli: {
    command: 'grade',
    select: 'list',
    selectedBy: ['trend'],
    isDefault: true,
    view: async () => (await import('../view.ts')).gradeView,
  },
  example: { call: {}, exit: 100 },
  async run({ platform, project, read }, { trend, ...page }) {
    const { grades: all, invalidLines } = parseGrades(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '');
    const sessions = [...new Set(all.map(({ sessionId }) => sessionId))];
    const agents = trend && all.length > 0 ? await read((store) => findAgents(store, sessions)) : undefined;
    const grades = all
      .toReversed()
      .slice(page.offset, page.offset + page.limit)
      .map((grade) => ({ ...toGrade(grade), score: `${grade.totalScore}/${grade.maxScore}`, flagCount: grade.flags.length }));
    const { result, options } = await answerPage(
      { ...(agents ? { trend: computeTrends(all, (sessionId) => agents.get(sessionId) ?? 'unknown') } : {}), grades },
      grades.length,
      page,
      async () => all.length,
    );
    const problem = `${gradesFile}: ${invalidLines} ${invalidLines === 1 ? 'line is' : 'lines are'} not a grade; see cleo doctor`;
    return answer(result, invalidLines > 0 ? { ...options, warnings: [problem] } : options);
  },
});

/** Finds the agent that started each session; without a session record, the agent of its last log entry. */
async function findAgents(store: ReadStore, sessions: string[]): Promise<Map<string, string>> {
  const agents = new Map<string, string>();
  for (const id of sessions) {
    const agent = (await store.sessions.get(id))?.startedBy ?? (await store.audit.list({ session: id }, { limit: 1, offset: 0 }))[0]?.agent;
    if (agent) agents.set(id, agent);
  }
  return agents;
}
