import { defined } from '#lib/collections.ts';
import type { Project } from '#platform/port.ts';
import type { SshKey } from '#platform/signing/port.ts';
import type { MissingProof, PersonProof, ProofSubject } from '../../model/person-proof.ts';
import { decisionNamespace, formatStatement, parseSignerKey } from '../../rules/proof-statement.ts';
import { askForId, createMissing, describeTerminal, findTerminalProblem, type ProofContext, readSigners } from './prove-person.ts';

/** Has the person sign a statement of the decision with a key of `decide.signers`. A key that any program of the user can sign with
 *  proves the user and not the person, so the id has to be typed at a terminal as well. */
export async function proveBySsh(ctx: ProofContext, subject: ProofSubject): Promise<PersonProof | MissingProof> {
  const { platform, now } = ctx;
  const project = platform.getProject();
  const config = platform.config.load(project);
  const signers = await readSigners(platform);
  const keys = signers.flatMap((line) => parseSignerKey(line) ?? []);
  if (keys.length === 0) return createMissing('decide.proof is ssh, and decide.signers has no key');
  const [ssh, terminal] = [await platform.loadSshSignatures(), await platform.loadTerminal()];
  const key = await ssh.findKey(keys);
  if (!key) return createMissing('no key of decide.signers is in ~/.ssh or in the SSH agent');
  if (!needsMore(key)) terminal.print(`${subject.action} requires a signature with ${describeKey(key)}.`);
  else {
    const missing = findTerminalProblem(terminal);
    if (missing)
      return createMissing(`${missing.problem}, and every program of the user can sign with ${describeKey(key)}`, {
        ...defined({ mark: missing.mark }),
        hint: 'Give the key a passphrase (ssh-keygen -p), or use a hardware key (ssh-keygen -t ed25519-sk)',
      });
    const asked = await askForId(terminal, subject);
    if (!asked.isProved) return asked;
  }
  const digest = (value: unknown): string => platform.sha256(JSON.stringify(value ?? null));
  const statement = formatStatement({
    project: identifyProject(config['project.key'], project),
    operation: subject.operation,
    subject: subject.id,
    params: digest(subject.params),
    content: subject.content === undefined ? undefined : digest(subject.content),
    at: now,
  });
  const signed = await ssh.sign(key, decisionNamespace, statement);
  if ('problem' in signed) return createMissing(`the decision was not signed: ${signed.problem}`);
  const { signature } = signed;
  const verified = await ssh.verify({ signers, namespace: decisionNamespace, text: statement, signature, at: now });
  if (!verified.isValid) return createMissing(`the signature is not valid: ${verified.problem}`);
  const { signer, fingerprint } = verified;
  return {
    isProved: true,
    via: 'ssh',
    evidence: {
      subject: subject.id,
      ...describeTerminal(terminal),
      signer,
      fingerprint,
      protection: key.protection,
      publicKey: key.publicKey,
      statement,
      signature,
    },
  };
}

const needsMore = ({ protection }: SshKey): boolean => protection === 'none' || protection === 'agent';

const describeKey = ({ keyFile, publicKey }: SshKey): string => keyFile ?? `the key ${publicKey.slice(-12)} of the SSH agent`;

/** A project without a key is known by its folder. */
const identifyProject = (key: string, project: Project | undefined): string => key || (project?.root ?? '');
