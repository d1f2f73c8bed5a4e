import '#admin/errors.ts';
import { boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { HeadNumbers, readHashes, readOwnHeads, requireSameLog } from '#admin/operations/shared/own-heads.ts';
import { inspectLog, requireIntact } from '#admin/operations/shared/prove-log.ts';
import { findRecordSigner, signHead, signRecord } from '#admin/operations/shared/sign-head.ts';
import { toProjectIdentity } from '#admin/rules/audit-chain.ts';
import { headsFile } from '#admin/rules/audit-heads.ts';
import { answer, query, readStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { AgentId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { formatPlanRecord } from '#lib/plan-record.ts';
import { GradeSchema } from '../model/grade.ts';
import { toStatementPath } from '../model/grade-files.ts';
import { GradeStatementSchema } from '../model/grade-statement.ts';
import { gradeSession, toGrade } from './shared/grade-session.ts';

/** Checks the log and grades the session. The signature covers what the store has, so that a client sees what it signs. */
const gradeStep = readStep({
  name: 'grade',
  params: strictObject({ sessionId: AgentId, numbers: HeadNumbers }),
  async run(ctx, { sessionId, numbers }) {
    const { store, config } = ctx;
    const proof = requireIntact(await inspectLog(ctx, store));
    const ends = await store.audit.getSessionEnds(sessionId);
    if (!ends) {
      const fix = proof.entries === 0 ? 'cleo help grade' : 'cleo log';
      throw new CleoError('E_NOT_FOUND', { what: 'log entry of the session', id: sessionId, fix });
    }
    const hashes = await readHashes(store, numbers);
    return { proof, hashes, ends, projectKey: config['project.key'], ...(await gradeSession(ctx, sessionId, ends.last.seq)) };
  },
});

export const adminGradeSign = query({
  name: 'admin.grade.sign',
  summary: 'Grade a session and sign the result for other clones',
  params: strictObject({
    sessionId: pipe(AgentId, description('The session'), metadata({ value: 'SESSION' })),
    partial: optional(pipe(boolean(), description('Sign it although reads were not recorded'))),
    ssh: optional(pipe(boolean(), description('Sign with your SSH key of audit.signers'))),
  }),
  result: strictObject({
    grade: GradeSchema,
    statement: GradeStatementSchema,
    file: pipe(string(), description('The file of the statement, for git')),
  }),
  errors: ['E_CHECKSUM_MISMATCH', 'E_FILE_ERROR', 'E_VALIDATION', 'E_NOT_FOUND', 'E_GRADE_INCOMPLETE', 'E_DEPENDENCY_ERROR'],
  usesHost: true,
  tier: 2,
  steps: [gradeStep],
  cli: { command: 'grade', select: 'sign', args: ['sessionId'], view: async () => (await import('../view.ts')).gradeView },
  example: { call: { sessionId: 'session-1' }, exit: 4 },
  async run(ctx, { sessionId, partial, ssh }) {
    const { platform, project, config, now } = ctx;
    const { key, isNew } = await findRecordSigner(platform, config, ssh);
    const heads = await readOwnHeads(platform, project, key);
    const request = { sessionId, numbers: heads.map(({ seq }) => seq) };
    const { proof, hashes, ends, projectKey, result, isRecorded, losses } = await ctx.runStep(gradeStep, request);
    requireSameLog(proof, heads, hashes);
    if (!isRecorded && !partial) {
      const { listUnknownDimensions } = await import('../rules/grade-rubric.ts');
      throw new CleoError('E_GRADE_INCOMPLETE', { sessionId, min: 0, unknown: listUnknownDimensions(losses) });
    }
    const identity = toProjectIdentity(projectKey, proof.replica);
    const statement = await signRecord(key, {
      version: 1 as const,
      kind: 'grade' as const,
      project: identity,
      replica: proof.replica,
      grade: result,
      ...defined({ isPartial: isRecorded ? undefined : true }),
      ...ends,
      head: { seq: proof.entries, hash: proof.head },
      at: now,
    });
    const file = toStatementPath(sessionId);
    platform.files.createFolder(`${project.folder}/plan/grades`);
    platform.files.writeAtomic(`${project.folder}/${file}`, formatPlanRecord(statement));
    // The head goes to the file of heads too, so that `audit anchor` publishes it.
    const head = await signHead(key, { ...proof, project: identity, at: now });
    return answer(
      { grade: toGrade(result), statement, file: `.cleo/${file}` },
      {
        appendLine: { file: headsFile, line: JSON.stringify(head) },
        ...(isNew ? { warnings: [`created the key ${key.source}; cleo audit keys shows its public part`] } : {}),
      },
    );
  },
});
