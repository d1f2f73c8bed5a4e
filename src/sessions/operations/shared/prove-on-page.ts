import type { MissingProof, PersonProof, ProofMethod, ProofSubject } from '../../model/person-proof.ts';
import { createMissing, noPassphrase, type ProofContext, passphraseSetting } from './prove-person.ts';

/** Proves the person who uses the web page: by the passphrase, which the page asks for. A terminal or a key is not within reach of a page, so
 *  the error names the command to run there. */
export async function proveOnPage(
  { platform }: ProofContext,
  typed: string | undefined,
  method: ProofMethod,
  { id }: ProofSubject,
): Promise<PersonProof | MissingProof> {
  if (method !== 'passphrase') return createMissing(`decide.proof is ${method}, which needs a terminal`, { method });
  const passphrase = await platform.loadPassphrase();
  if (!passphrase.isSet()) return createMissing(noPassphrase, { ...passphraseSetting, method: 'terminal' });
  const seconds = passphrase.getLockSeconds(platform.now());
  if (seconds > 0)
    return createMissing(`the passphrase was wrong several times; it can be tried again in ${seconds} s`, { method: 'passphrase' });
  if (typed === undefined) return createMissing('the page has to ask for the passphrase', { method: 'passphrase' });
  if (!(await passphrase.check(typed, platform.now()))) return createMissing('the passphrase is wrong', { method: 'passphrase' });
  return { isProved: true, via: 'passphrase', evidence: { subject: id, page: true, passphrase: passphrase.getId() } };
}
