import '#admin/errors.ts';
import { array, boolean, description, metadata, optional, pipe, strictObject } from 'valibot';
import { proofParams } from '#admin/operations/audit-verify.ts';
import { findHeadSources } from '#admin/operations/shared/head-sources.ts';
import { requireLevel } from '#admin/operations/shared/prove-log.ts';
import { answer, type QueryContext, query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { AgentId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined } from '#lib/collections.ts';
import { type DimensionName, DimensionNameSchema, ExplainedLoss, GradeSchema } from '../model/grade.ts';
import { gradesFile, toStatementPath } from '../model/grade-files.ts';
import { listUnknownDimensions } from '../rules/grade-rubric.ts';
import { explainLosses, gradeSession, toGrade } from './shared/grade-session.ts';
import { findStoredGrade, type GradeProof, Verification, verifyElsewhere, verifyGrade } from './shared/verify-grade.ts';

export const adminGrade = query({
  name: 'admin.grade',
  summary: 'Grade a session from its audit log',
  params: strictObject({
    sessionId: pipe(AgentId, description('The session'), metadata({ value: 'SESSION' })),
    min: optional(pipe(wholeNumber({ min: 0, max: 100 }), description('Fail (exit 1) below this percentage'))),
    explain: optional(pipe(boolean(), description('List each loss with its cause and the call that avoids it'))),
    partial: optional(pipe(boolean(), description('Store and judge it although reads were not recorded'))),
    preview: optional(pipe(boolean(), description('Store nothing'), metadata({ isRare: true }))),
    verify: optional(pipe(boolean(), description('Check the log and the stored grade; store nothing'))),
    ...proofParams,
  }),
  result: strictObject({
    grade: GradeSchema,
    /** Dimensions that cannot be judged, because the session was not recorded in grade mode. */
    unknown: optional(array(DimensionNameSchema)),
    explanation: optional(array(ExplainedLoss)),
    verification: optional(Verification),
  }),
  errors: [
    'E_GRADE_TOO_LOW',
    'E_GRADE_INCOMPLETE',
    'E_NOT_FOUND',
    'E_CHECKSUM_MISMATCH',
    'E_LOG_UNPROVEN',
    'E_VALIDATION',
    'E_DEPENDENCY_ERROR',
  ],
  tier: 2,
  runsOn: 'server',
  needs: 'project',
  shares: ['grades'],
  cli: { command: 'grade', args: ['sessionId'], read: { heads: { as: 'text' } }, view: async () => (await import('../view.ts')).gradeView },
  example: { call: { sessionId: 'session-1' } },
  async run(ctx, params) {
    const { sessionId, min, explain, verify, partial, preview } = params;
    const isVerified = verify === true || params.require !== undefined;
    // Looked up before the transaction opens, because a remote can be slow.
    const { sources, warnings } = isVerified ? await findHeadSources(ctx, params) : { sources: [], warnings: [] };
    const proof = { sources, signers: params.signer };
    const graded =
      (await ctx
        .read((store) => gradeFromLog({ ...ctx, store }, params, isVerified ? proof : undefined))
        .catch(ignoreMissingStore(isVerified))) ?? (await gradeFromStatement(ctx, sessionId, proof));
    const { result, losses, isRecorded, verification } = graded;
    const unknown = isRecorded ? undefined : listUnknownDimensions(losses);
    const isJudged = unknown === undefined || partial === true;
    if (verification) requireLevel(`the grade of ${sessionId}`, verification.level, params.require);
    const grade = toGrade(result);
    const { percent, letter, flags } = grade;
    const isStored = isVerified || preview || !isJudged ? undefined : { file: gradesFile, line: JSON.stringify(result) };
    return answer(
      {
        grade,
        ...defined({ unknown, explanation: explain ? await explainLosses(ctx.registry, losses) : undefined, verification }),
      },
      {
        warnings: [...warnings, ...graded.warnings, ...(unknown ? [formatUnknownWarning(sessionId, unknown, isJudged)] : [])],
        ...defined({ appendLine: isStored }),
        ...(min !== undefined && !isJudged ? { failAfterSave: new CleoError('E_GRADE_INCOMPLETE', { sessionId, min, unknown }) } : {}),
        ...(min !== undefined && isJudged && percent < min
          ? { failAfterSave: new CleoError('E_GRADE_TOO_LOW', { sessionId, percent, min, letter, flags: flags.slice(0, 20) }) }
          : {}),
      },
    );
  },
});

/** Grades from the log of this store. Undefined if the grade is verified and the log of the session is in another store. */
async function gradeFromLog(
  ctx: QueryContext,
  { sessionId, verify }: { sessionId: string; verify?: boolean | undefined },
  proof: GradeProof | undefined,
) {
  const graded = await gradeSession(ctx, sessionId);
  if (!proof) return { ...graded, verification: undefined, warnings: [] as string[] };
  const isElsewhere =
    graded.result.entryCount === 0 && (hasStatement(ctx, sessionId) || (findStoredGrade(ctx, sessionId)?.entryCount ?? 0) > 0);
  if (isElsewhere) return undefined;
  return { ...graded, ...(await verifyGrade(ctx, ctx.store, graded.result, proof, verify === true)) };
}

const hasStatement = ({ platform, project }: QueryContext, sessionId: string): boolean =>
  platform.files.exists(`${project.folder}/${toStatementPath(sessionId)}`);

async function gradeFromStatement(ctx: QueryContext, sessionId: string, proof: GradeProof) {
  const { result, isPartial, verification } = await verifyElsewhere(ctx, sessionId, proof);
  return { result, losses: [], isRecorded: !isPartial, verification, warnings: [] as string[] };
}

/** A fresh clone has no store. To verify a grade there, its statement is enough. */
const ignoreMissingStore =
  (isVerified: boolean) =>
  (error: unknown): undefined => {
    if (isVerified && error instanceof CleoError && (error.details.missing || error.details.isClone)) return undefined;
    throw error;
  };

const formatUnknownWarning = (sessionId: string, unknown: DimensionName[], isJudged: boolean): string =>
  `${sessionId} was not started in grade mode, so its reads are not recorded and ${unknown.join(', ')} are unknown${isJudged ? '' : '; the grade is not stored (`partial` stores it)'}`;
