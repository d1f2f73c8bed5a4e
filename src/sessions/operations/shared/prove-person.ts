import type { Caller, Gateway } from '#core/model/audit.ts';
import { toOneLine } from '#core/terminal/text.ts';
import type { PersonTerminal, Platform } from '#platform/port.ts';
import type { MissingProof, PersonProof, ProofSubject } from '../../model/person-proof.ts';
import { describeMark } from '../../rules/agent-marks.ts';

/** The parts of a call that a proof needs. */
export interface ProofContext {
  platform: Platform;
  gateway: Gateway;
  caller: Pick<Caller, 'agent'>;
  now: string;
}

/** The time that a person has to answer. An agent that started the command by mistake gets an error instead of waiting for ever. */
export const answerTimeoutMs = 120_000;

/** Asks for the proof that a person makes the call, by the method in `decide.proof`. It waits for the person, so it must not be called
 *  inside a transaction. */
export async function provePerson(ctx: ProofContext, subject: ProofSubject): Promise<PersonProof | MissingProof> {
  const missing = await findMissingProof(ctx);
  if (missing) return missing;
  return askForId(await ctx.platform.loadTerminal(), subject);
}

/** Checks everything that can be checked without asking. Returns undefined if a person may be calling. */
export async function findMissingProof({ platform, gateway, caller }: ProofContext): Promise<MissingProof | undefined> {
  if (gateway !== 'cli') return createMissing('only a command line can ask a person');
  if (caller.agent !== platform.caller.agent) return createMissing(`the call names the agent ${caller.agent}`, { mark: '--agent' });
  const { name, marks } = await platform.loadTerminal();
  const [mark] = marks;
  if (mark) return createMissing(describeMark(mark), { mark: mark.name, hint: passphraseHint });
  return name === undefined ? createMissing('the command has no controlling terminal to ask on') : undefined;
}

/** Asks the person to type the id again. This asks, and does not prove: a program that opens a terminal can type as well, so the
 *  evidence lists the processes that the command was started by. */
async function askForId(terminal: PersonTerminal, { id, action }: ProofSubject): Promise<PersonProof | MissingProof> {
  const typed = await terminal.ask(`${toOneLine(action)} requires a person. Type ${toOneLine(id)} to confirm: `, {
    timeoutMs: answerTimeoutMs,
  });
  if (typed === undefined) return createMissing(`${id} was not typed`);
  if (typed.trim() !== id) return createMissing(typed.trim() === '' ? `${id} was not typed` : `${typed.trim()} was typed, not ${id}`);
  return { isProved: true, via: 'terminal', evidence: { ...describeTerminal(terminal), typed: id } };
}

const maxProcesses = 16;

/** Describes the terminal for the audit row. */
export const describeTerminal = ({ name, processes }: PersonTerminal): Record<string, unknown> => ({
  terminal: name ?? null,
  processes: processes.slice(0, maxProcesses),
});

const passphraseHint =
  'If you are a person, run the command in a terminal without that mark, or use decide.proof passphrase, which does not depend on marks';

export const createMissing = (problem: string, more: Pick<MissingProof, 'mark' | 'hint'> = {}): MissingProof => ({
  isProved: false,
  problem,
  ...more,
});
