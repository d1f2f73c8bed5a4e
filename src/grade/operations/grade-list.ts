import { array, boolean, description, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { GradeSchema, ScopeTrendSchema, TrendSchema } from '../model/grade.ts';
import { gradesFile } from '../model/grade-files.ts';
import { computeScopeTrends, computeTrends, parseGrades } from '../rules/grade-history.ts';
import { toGrade } from './shared/grade-session.ts';

const GradeRow = strictObject({
  ...GradeSchema.entries,
  score: pipe(string(), description('Score as text, e.g. 85/100')),
  flagCount: pipe(number(), description('Number of flags')),
  agent: optional(pipe(string(), description('Agent of the session, with trend'))),
  scope: optional(pipe(string(), description('Scope of the session, with trend'))),
});

export const adminGradeList = query({
  name: 'admin.grade.list',
  summary: 'List grades, newest first, or their trend per agent',
  params: strictObject({ ...pageParams(50), trend: optional(pipe(boolean(), description('Add the trend of each agent and scope'))) }),
  result: strictObject({ grades: array(GradeRow), trend: optional(array(TrendSchema)), scopeTrend: optional(array(ScopeTrendSchema)) }),
  errors: [],
  tier: 2,
  runsOn: 'server',
  needs: 'project',
  shares: ['grades'],
  cli: {
    command: ['grade', 'grade list'],
    select: 'list',
    selectedBy: ['trend'],
    isDefault: true,
    view: async () => (await import('../view.ts')).gradeView,
  },
  example: { call: {}, exit: 100 },
  async run({ platform, project, read }, { trend, ...page }) {
    const { grades: all, invalidLines } = parseGrades(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '');
    const sessions = [...new Set(all.map(({ sessionId }) => sessionId))];
    const owners = trend && all.length > 0 ? await read((store) => findOwners(store, sessions)) : undefined;
    const grades = all
      .toReversed()
      .slice(page.offset, page.offset + page.limit)
      .map((grade) => ({
        ...toGrade(grade),
        score: `${grade.totalScore}/${grade.maxScore}`,
        flagCount: grade.flags.length,
        ...owners?.get(grade.sessionId),
      }));
    const { result, options } = await answerPage(
      {
        ...(owners
          ? {
              trend: computeTrends(all, (sessionId) => owners.get(sessionId)?.agent ?? 'unknown'),
              scopeTrend: computeScopeTrends(all, (sessionId) => owners.get(sessionId)?.scope),
            }
          : {}),
        grades,
      },
      grades.length,
      page,
      async () => all.length,
    );
    const problem = `${gradesFile}: ${invalidLines} ${invalidLines === 1 ? 'line is' : 'lines are'} not a grade; see cleo doctor`;
    return answer(result, invalidLines > 0 ? { ...options, warnings: [problem] } : options);
  },
});

/** Finds the agent that started each session, and its scope; without a session record, the agent of its last log entry. */
async function findOwners(store: ReadStore, sessions: string[]): Promise<Map<string, { agent: string; scope?: string }>> {
  const owners = new Map<string, { agent: string; scope?: string }>();
  for (const id of sessions) {
    const session = await store.sessions.get(id);
    const agent = session?.startedBy ?? (await store.audit.list({ session: id }, { limit: 1, offset: 0 }))[0]?.agent;
    if (agent) owners.set(id, { agent, ...(session ? { scope: formatScope(session.scope) } : {}) });
  }
  return owners;
}
