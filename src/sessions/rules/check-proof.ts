import { parseStatement } from './proof-statement.ts';

/** A proof as it was recorded, with the facts that it has to agree with. */
export interface RecordedProof {
  subject: string;
  /** The canonical name of the operation. */
  operation: string;
  at: string;
  via: string;
  token?: string;
  evidence: Record<string, unknown>;
  /** SHA-256 of the content as it is now, if it is known. */
  content?: string | undefined;
}

/** Compares the signed statement with the record. Returns the first difference, or undefined. The signature itself is verified by
 *  ssh-keygen. */
export function findStatementProblem({ subject, operation, at, evidence, content }: RecordedProof): string | undefined {
  const statement = parseStatement(String(evidence.statement ?? ''));
  if (!statement) return 'has no readable statement';
  if (statement.subject !== subject) return `is signed for ${statement.subject}`;
  if (statement.operation !== operation) return `is signed for the operation ${statement.operation}, not for ${operation}`;
  if (statement.at !== at) return `is signed for a call at ${statement.at}, not at ${at}`;
  if (content !== undefined && statement.content !== content) return 'is signed for another content: the text was changed later';
  return undefined;
}
