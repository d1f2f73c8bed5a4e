import { toOneLine } from '#core/terminal/text.ts';
import type { MissingProof, PersonProof, ProofSubject } from '../../model/person-proof.ts';
import { answerTimeoutMs, createMissing, describeTerminal, type ProofContext } from './prove-person.ts';

const maxTries = 3;

/** Asks for the passphrase on the terminal. There is no parameter and no variable for it, because agents can read both. */
export async function proveByPassphrase({ platform }: ProofContext, { id, action }: ProofSubject): Promise<PersonProof | MissingProof> {
  const [terminal, passphrase] = [await platform.loadTerminal(), await platform.loadPassphrase()];
  terminal.print(`${toOneLine(action)} requires a person.`);
  for (let tries = 0; tries < maxTries; tries++) {
    const seconds = passphrase.getLockSeconds(platform.now());
    if (seconds > 0) return createMissing(`the passphrase was wrong several times; it can be tried again in ${seconds} s`);
    let isRight = false;
    const check = async (line: string): Promise<void> => {
      isRight = line !== '' && (await passphrase.check(line, platform.now()));
    };
    const text = await terminal.ask('Passphrase: ', { isSecret: true, timeoutMs: answerTimeoutMs, check });
    if (!text) return createMissing('no passphrase was typed');
    if (isRight) {
      const marks = terminal.marks.map(({ name }) => name);
      return {
        isProved: true,
        via: 'passphrase',
        evidence: { subject: id, ...describeTerminal(terminal), marks, passphrase: passphrase.getId() },
      };
    }
    terminal.print('The passphrase is wrong.');
  }
  return createMissing('the passphrase was wrong');
}
