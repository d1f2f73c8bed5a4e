import {
  array,
  boolean,
  description,
  integer,
  literal,
  maxValue,
  metadata,
  minValue,
  number,
  optional,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { chainOf } from '#admin/operations/audit-verify.ts';
import { answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { AgentId } from '#core/model/scalars.ts';
import { Grade, type GradeResult, Loss } from '../model/grade.ts';
import { gradesIn, isSameJudgement } from '../rules/grade-history.ts';
import { explained, gradeOf, gradesFile, withLetter } from './shared/graded.ts';

const Verification = strictObject({
  holds: literal(true),
  /** When the stored line was written. */
  gradedAt: string(),
  chain: strictObject({ ok: literal(true), entries: number(), head: string() }),
});

export const adminGrade = query({
  name: 'admin.grade',
  summary: 'Grade how an agent worked in a session, from what the log recorded',
  params: strictObject({
    sessionId: pipe(AgentId, description('The session'), metadata({ value: 'SESSION' })),
    min: optional(
      pipe(
        number(),
        integer('must be a whole number'),
        minValue(0, 'must be at least 0'),
        maxValue(100, 'must be at most 100'),
        description('Fail (exit 1) below this many percent'),
      ),
    ),
    explain: optional(pipe(boolean(), description('For each lost point, what lost it and what would have kept it'))),
    verify: optional(pipe(boolean(), description('Check the log, and whether the stored grade still holds; store nothing'))),
  }),
  result: strictObject({ grade: Grade, explanation: optional(array(Loss)), verification: optional(Verification) }),
  errors: ['E_GRADE_TOO_LOW', 'E_NOT_FOUND', 'E_CHECKSUM_MISMATCH'],
  tier: 2,
  cli: { command: 'grade', args: ['sessionId'] },
  example: { call: { sessionId: 'session-1' } },
  async run(ctx, { sessionId, min, explain, verify }) {
    const { result, losses } = await gradeOf(ctx, sessionId);
    const verification = verify ? await verified(ctx, result) : undefined;
    const grade = withLetter(result);
    const { percent, letter, flags } = grade;
    return answer(
      {
        grade,
        ...(explain ? { explanation: await explained(ctx.registry, losses) } : {}),
        ...(verification ? { verification } : {}),
      },
      {
        ...(verify ? {} : { appendLine: { file: gradesFile, line: JSON.stringify(result) } }),
        ...(min !== undefined && percent < min
          ? { failAfterSave: new CleoError('E_GRADE_TOO_LOW', { sessionId, percent, min, letter, flags: flags.slice(0, 20) }) }
          : {}),
      },
    );
  },
});

/** The newest stored line of the session says what the log says, and nobody changed the log. */
async function verified({ store, platform, project }: QueryContext, result: GradeResult) {
  const chain = await chainOf(store, platform.sha256);
  const { sessionId } = result;
  const stored = gradesIn(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '').grades.findLast(
    (grade) => grade.sessionId === sessionId,
  );
  const regrade = `cleo grade ${quote(sessionId)}`;
  if (!stored) throw new CleoError('E_NOT_FOUND', { what: 'stored grade of', id: sessionId, fix: regrade });
  if (!isSameJudgement(stored, result))
    throw new CleoError('E_CHECKSUM_MISMATCH', {
      what: `the grade of ${sessionId}`,
      problem: `stored are ${stored.totalScore} points for ${stored.entryCount} entries, the log gives ${result.totalScore} for ${result.entryCount}${stored.totalScore === result.totalScore && stored.entryCount === result.entryCount ? ' for other reasons' : ''}`,
      fix: regrade,
    });
  return { holds: true as const, gradedAt: stored.timestamp, chain };
}
