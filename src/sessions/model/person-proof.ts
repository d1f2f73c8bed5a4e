/** The ways to prove that a person makes a call, as `decide.proof` names them. */
export const proofMethods = ['terminal', 'passphrase', 'ssh'] as const;
export type ProofMethod = (typeof proofMethods)[number];

/** The thing that the person decides about. */
export interface ProofSubject {
  /** The id that is typed again: of a task, a decision, a backup, or the name of a configuration key or a token. */
  id: string;
  operation: string;
  /** The action as the beginning of a sentence: `Accepting D-001`. */
  action: string;
  /** The parameters of the call. A signature covers their digest. */
  params?: unknown;
  /** The content that is decided about, such as the text of a decision. A signature covers its digest. */
  content?: unknown;
  /** Lines that the person reads on the terminal before the confirmation. */
  preview?: string[];
}

export interface PersonProof {
  isProved: true;
  via: ProofMethod;
  /** Recorded in the audit row. */
  evidence: Record<string, unknown>;
}

export interface MissingProof {
  isProved: false;
  /** The reason, as a clause: `the variable CI is set, which is a mark of CI`. */
  problem: string;
  /** The variable, program or option that says that an agent is calling. */
  mark?: string;
  /** The way out for a person, as a sentence. */
  hint?: string;
  /** The method that the web page needs a proof by. */
  method?: ProofMethod;
}
