import type { ProofMethod } from '../model/person-proof.ts';

/** Chooses the method of a proof. A project can ask for more than the user's own configuration, and not for less: whoever can edit the
 *  file of the project cannot switch off the passphrase that the user has chosen for all projects. */
export const chooseProofMethod = (effective: ProofMethod, user: ProofMethod | undefined): ProofMethod =>
  effective === 'terminal' ? (user ?? effective) : effective;
