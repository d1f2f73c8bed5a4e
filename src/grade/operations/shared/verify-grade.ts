import { description, literal, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { proofLevels } from '#admin/model/signed-head.ts';
import { toVerifiedChain, VerifiedChain } from '#admin/operations/audit-verify.ts';
import { type HeadSource, inspectLog, type LogProofContext, requireIntact } from '#admin/operations/shared/prove-log.ts';
import { findLevelAt } from '#admin/rules/audit-heads.ts';
import type { QueryContext } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { GradeResult } from '../../model/grade.ts';
import { gradesFile } from '../../model/grade-files.ts';
import type { GradeStatement } from '../../model/grade-statement.ts';
import { isSameGrade, parseGrades } from '../../rules/grade-history.ts';
import { gradeSession } from './grade-session.ts';
import { createElsewhereError, createStatementError, proveStatement, readStatement } from './grade-statement.ts';

export const Verification = strictObject({
  holds: literal(true),
  /** Timestamp of the stored grade, or of the statement. */
  gradedAt: optional(string()),
  level: pipe(picklist(proofLevels), description('Level of proof of all entries of the session')),
  /** Absent if the log is in another store. */
  chain: optional(VerifiedChain),
  statement: optional(
    strictObject({
      replica: pipe(string(), description('Id of the store that has the log')),
      signer: string(),
      entries: pipe(number(), description('Last entry of the log that the statement names')),
      source: optional(string()),
    }),
  ),
});

export interface GradeProof {
  sources: HeadSource[];
  signers?: string[] | undefined;
}

/** Checks that the log is unchanged and that the newest stored grade and the statement of the session match it. */
export async function verifyGrade(
  ctx: LogProofContext & Pick<QueryContext, 'registry' | 'now'>,
  store: ReadStore,
  result: GradeResult,
  { sources, signers }: GradeProof,
  isStoredRequired: boolean,
) {
  const proof = requireIntact(await inspectLog(ctx, store, defined({ sources, signers })));
  const { sessionId } = result;
  const stored = findStoredGrade(ctx, sessionId);
  const regrade = `cleo grade ${quote(sessionId)}`;
  if (!stored && isStoredRequired) throw new CleoError('E_NOT_FOUND', { what: 'stored grade of', id: sessionId, fix: regrade });
  if (stored && isStoredRequired && !isSameGrade(stored, result)) {
    const isSameTotal = stored.totalScore === result.totalScore && stored.entryCount === result.entryCount;
    throw new CleoError('E_CHECKSUM_MISMATCH', {
      what: `the grade of ${sessionId}`,
      problem: `stored are ${stored.totalScore} points for ${stored.entryCount} entries, the log gives ${result.totalScore} for ${result.entryCount}${isSameTotal ? ', with other reasons' : ''}`,
      fix: regrade,
    });
  }
  const statement = readStatement(ctx, sessionId);
  if (statement && statement.replica === proof.replica) await checkStatementAgainstLog(ctx, store, statement);
  const ends = await store.audit.getSessionEnds(sessionId);
  return {
    verification: {
      holds: true as const,
      ...defined({ gradedAt: stored?.timestamp }),
      level: findLevelAt(proof, ends?.last.seq ?? 0),
      chain: toVerifiedChain(proof),
    },
    warnings: proof.warnings,
  };
}

export const findStoredGrade = ({ platform, project }: LogProofContext, sessionId: string): GradeResult | undefined =>
  parseGrades(platform.files.readText(`${project.folder}/${gradesFile}`) ?? '').grades.findLast((grade) => grade.sessionId === sessionId);

/** Compares a statement about this store with its log. The session may have continued after the statement. */
async function checkStatementAgainstLog(
  ctx: LogProofContext & Pick<QueryContext, 'registry' | 'now'>,
  store: ReadStore,
  statement: GradeStatement,
): Promise<void> {
  const { grade, first, last, head } = statement;
  const { sessionId } = grade;
  for (const entry of [first, last, head])
    if ((await store.audit.getHash(entry.seq)) !== entry.hash)
      throw createStatementError(sessionId, `names another entry ${entry.seq} than the log has`);
  const { result } = await gradeSession({ ...ctx, store }, sessionId, last.seq);
  if (!isSameGrade(grade, result))
    throw createStatementError(sessionId, `has ${grade.totalScore} points, but the log gives ${result.totalScore}`);
}

/** Verifies a grade whose log is in another store by its statement. */
export async function verifyElsewhere(ctx: LogProofContext, sessionId: string, { sources, signers }: GradeProof) {
  const statement = readStatement(ctx, sessionId);
  const proved = statement && (await proveStatement(ctx, statement, { sources, signers }));
  if (!proved) throw createElsewhereError(sessionId, statement);
  const { level, signer, source } = proved;
  return {
    result: proved.statement.grade,
    isPartial: proved.statement.isPartial === true,
    verification: {
      holds: true as const,
      gradedAt: proved.statement.at,
      level,
      statement: { replica: proved.statement.replica, signer, entries: proved.statement.head.seq, ...defined({ source }) },
    },
  };
}
