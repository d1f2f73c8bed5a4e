import { array, boolean, description, literal, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { verifyChain } from '#admin/operations/audit-verify.ts';
import { answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import '#admin/errors.ts';
import { quote } from '#core/errors/quote.ts';
import { AgentId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined } from '#lib/defined.ts';
import { type DimensionName, DimensionNameSchema, ExplainedLoss, type GradeResult, GradeSchema } from '../model/grade.ts';
import { isSameGrade, parseGrades } from '../rules/grade-history.ts';
import { listUnknownDimensions } from '../rules/grade-rubric.ts';
import { explainLosses, gradeSession, gradesFile, toGrade } from './shared/grade-session.ts';

const Verification = strictObject({
  holds: literal(true),
  /** Timestamp of the stored grade. */
  gradedAt: string(),
  chain: strictObject({ ok: literal(true), entries: number(), head: string() }),
});

export const adminGrade = query({
  name: 'admin.grade',
  summary: 'Grade a session from its audit log',
  params: strictObject({
    sessionId: pipe(AgentId, description('The session'), metadata({ value: 'SESSION' })),
    min: optional(pipe(wholeNumber({ min: 0, max: 100 }), description('Fail (exit 1) below this percentage'))),
    explain: optional(pipe(boolean(), description('List each loss with its cause and the call that avoids it'))),
    partial: optional(pipe(boolean(), description('Store and judge it although reads were not recorded'))),
    verify: optional(pipe(boolean(), description('Check the log and the stored grade; store nothing'))),
  }),
  result: strictObject({
    grade: GradeSchema,
    /** Dimensions that cannot be judged, because the session was not recorded in grade mode. */
    unknown: optional(array(DimensionNameSchema)),
    explanation: optional(array(ExplainedLoss)),
    verification: optional(Verification),
  }),
  errors: ['E_GRADE_TOO_LOW', 'E_GRADE_INCOMPLETE', 'E_NOT_FOUND', 'E_CHECKSUM_MISMATCH'],
  tier: 2,
  cli: { command: 'grade', args: ['sessionId'], view: async () => (await import('../view.ts')).gradeView },
  example: { call: { sessionId: 'session-1' } },
  async run(ctx, { sessionId, min, explain, verify, partial }) {
    const { result, losses, isRecorded } = await gradeSession(ctx, sessionId);
    const unknown = isRecorded ? undefined : listUnknownDimensions(losses);
    const isJudged = unknown === undefined || partial === true;
    const verification = verify ? await verifyGrade(ctx, result) : undefined;
    const grade = toGrade(result);
    const { percent, letter, flags } = grade;
    return answer(
      {
        grade,
        ...defined({ unknown, explanation: explain ? await explainLosses(ctx.registry, losses) : undefined, verification }),
      },
      {
        ...(unknown ? { warnings: [formatUnknownWarning(sessionId, unknown, isJudged)] } : {}),
        ...(verify || !isJudged ? {} : { appendLine: { file: gradesFile, line: JSON.stringify(result) } }),
        ...(min !== undefined && !isJudged ? { failAfterSave: new CleoError('E_GRADE_INCOMPLETE', { sessionId, min, unknown }) } : {}),
        ...(min !== undefined && isJudged && percent < min
          ? { failAfterSave: new CleoError('E_GRADE_TOO_LOW', { sessionId, percent, min, letter, flags: flags.slice(0, 20) }) }
          : {}),
      },
    );
  },
});

const formatUnknownWarning = (sessionId: string, unknown: DimensionName[], isJudged: boolean): string =>
  `${sessionId} was not started in grade mode, so its reads are not recorded and ${unknown.join(', ')} are unknown${isJudged ? '' : '; the grade is not stored (`partial` stores it)'}`;

/** Checks that the log is unchanged and that the newest stored grade of the session matches it. */
async function verifyGrade({ store, platform, project }: QueryContext, result: GradeResult) {
  const chain = await verifyChain(store, platform.sha256);
  const { sessionId } = result;
  const stored = parseGrades(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '').grades.findLast(
    (grade) => grade.sessionId === sessionId,
  );
  const regrade = `cleo grade ${quote(sessionId)}`;
  if (!stored) throw new CleoError('E_NOT_FOUND', { what: 'stored grade of', id: sessionId, fix: regrade });
  const isSameTotal = stored.totalScore === result.totalScore && stored.entryCount === result.entryCount;
  if (!isSameGrade(stored, result))
    throw new CleoError('E_CHECKSUM_MISMATCH', {
      what: `the grade of ${sessionId}`,
      problem: `stored are ${stored.totalScore} points for ${stored.entryCount} entries, the log gives ${result.totalScore} for ${result.entryCount}${isSameTotal ? ', with other reasons' : ''}`,
      fix: regrade,
    });
  return { holds: true as const, gradedAt: stored.timestamp, chain };
}
