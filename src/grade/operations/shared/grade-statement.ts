import '#admin/errors.ts';
import { safeParse } from 'valibot';
import type { SignedHead } from '#admin/model/signed-head.ts';
import {
  checkSignatures,
  type HeadSource,
  type LogProofContext,
  listSigners,
  verifySignature,
} from '#admin/operations/shared/prove-log.ts';
import { abbreviateKey, parseHeads } from '#admin/rules/audit-heads.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { parseJson } from '#lib/parse-json.ts';
import { toStatementPath } from '../../model/grade-files.ts';
import { type GradeStatement, GradeStatementSchema } from '../../model/grade-statement.ts';

/** A statement by a key that counts, with its level of proof. */
interface ProvedStatement {
  statement: GradeStatement;
  level: 'signed' | 'anchored';
  signer: string;
  source?: string;
}

const createMismatch = (sessionId: string, problem: string): CleoError =>
  new CleoError('E_CHECKSUM_MISMATCH', {
    what: `the statement of ${sessionId}`,
    problem,
    fix: `git log -p -- ${quote(`.cleo/${toStatementPath(sessionId)}`)}`,
    level: 'broken',
  });

export const createStatementError = createMismatch;

/** Reads the statement of a session. Undefined if there is none; throws if the file is not a statement of that session and project. */
export function readStatement({ platform, project }: LogProofContext, sessionId: string): GradeStatement | undefined {
  const text = platform.files.readText(`${project.folder}/${toStatementPath(sessionId)}`);
  if (text === undefined) return undefined;
  const { success, output } = safeParse(GradeStatementSchema, parseJson(text));
  if (!success) throw createMismatch(sessionId, 'is not a statement of a grade');
  if (output.grade.sessionId !== sessionId) throw createMismatch(sessionId, `is about the session ${output.grade.sessionId}`);
  return output;
}

/** Checks the signature of a statement, and looks for its head in `sources`. The log itself is not needed.
 *  Undefined if the key does not count. */
export async function proveStatement(
  ctx: LogProofContext,
  statement: GradeStatement,
  { sources, signers: given }: { sources: HeadSource[]; signers?: string[] | undefined },
): Promise<ProvedStatement | undefined> {
  const { platform, config } = ctx;
  const { sessionId } = statement.grade;
  const key = config['project.key'];
  if (key && statement.project !== key && !statement.project.startsWith('replica:'))
    throw createMismatch(sessionId, `belongs to the project ${statement.project}, not to ${key}`);
  const signers = listSigners(ctx, await platform.loadSigning(), given);
  const signer = signers.find(({ publicKey }) => publicKey === statement.signer);
  if (!signer) return undefined;
  if (!(await verifySignature(platform, statement))) throw createMismatch(sessionId, `is not what ${signer.name} signed`);
  const found = sources.flatMap(({ name, text }) => parseHeads(text).heads.map((head) => ({ head, source: name })));
  const { heads } = await checkSignatures(
    platform,
    signers,
    found.filter(({ head }) => isHeadOf(statement, head)),
  );
  const anchor = heads.find(({ isValid }) => isValid);
  return {
    statement,
    level: anchor ? 'anchored' : 'signed',
    signer: signer.name,
    ...(anchor?.source === undefined ? {} : { source: anchor.source }),
  };
}

const isHeadOf = ({ head, replica }: GradeStatement, found: SignedHead): boolean =>
  found.kind === 'head' && found.replica === replica && found.seq === head.seq && found.hash === head.hash;

/** The error of a grade whose log is in another store, without a statement that counts. */
export const createElsewhereError = (sessionId: string, statement: GradeStatement | undefined, required = 'signed'): CleoError =>
  new CleoError('E_LOG_UNPROVEN', {
    what: statement
      ? `the grade of ${sessionId} (its statement is signed by ${abbreviateKey(statement.signer)}, a key that is not in audit.signers)`
      : `the grade of ${sessionId} (its log is not in this store, and there is no statement in .cleo/plan/grades)`,
    level: 'elsewhere',
    required,
    fix: statement ? 'cleo audit keys' : 'cleo grade --list',
  });
