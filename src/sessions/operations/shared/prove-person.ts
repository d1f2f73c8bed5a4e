import type { Caller, Gateway } from '#core/model/audit.ts';
import { type Config, defaultConfig } from '#core/model/config.ts';
import { escapeControls, toOneLine } from '#core/terminal/text.ts';
import type { PersonTerminal, Platform } from '#platform/port.ts';
import type { MissingProof, PersonProof, ProofMethod, ProofSubject } from '../../model/person-proof.ts';
import { describeMark } from '../../rules/agent-marks.ts';
import { chooseProofMethod } from '../../rules/proof-method.ts';

/** The parts of a call that a proof needs. */
export interface ProofContext {
  platform: Platform;
  gateway: Gateway;
  caller: Pick<Caller, 'agent'>;
  now: string;
  /** Set if the web page makes the call. */
  page?: { passphrase?: string };
}

/** The time that a person has to answer. An agent that started the command by mistake gets an error instead of waiting for ever. */
export const answerTimeoutMs = 120_000;

/** Asks for the proof that a person makes the call, by the method in `decide.proof`. It waits for the person, so it must not be called
 *  inside a transaction. */
export async function provePerson(ctx: ProofContext, subject: ProofSubject): Promise<PersonProof | MissingProof> {
  const method = await readProofMethod(ctx.platform, subject.operation);
  if (ctx.page) return (await import('./prove-on-page.ts')).proveOnPage(ctx, ctx.page.passphrase, method, subject);
  const missing = await findMissing(ctx, method);
  if (missing) return missing;
  if (subject.preview) {
    const terminal = await ctx.platform.loadTerminal();
    for (const line of subject.preview) terminal.print(escapeControls(line));
  }
  if (method === 'passphrase') return (await import('./prove-by-passphrase.ts')).proveByPassphrase(ctx, subject);
  if (method === 'ssh') return (await import('./prove-by-ssh.ts')).proveBySsh(ctx, subject);
  return askForId(await ctx.platform.loadTerminal(), subject);
}

/** Proves that a person reads. Reading changes nothing, so a person at a terminal need not confirm it. A passphrase or a signature is asked
 *  for as for a write: the log names the method, and a terminal without it proves nothing. */
export async function proveReader(ctx: ProofContext, subject: ProofSubject): Promise<PersonProof | MissingProof> {
  const method = await readProofMethod(ctx.platform, subject.operation);
  if (method !== 'terminal' || ctx.page) return provePerson(ctx, subject);
  const missing = await findMissing(ctx, method);
  return missing ?? { isProved: true, via: 'terminal', evidence: describeTerminal(await ctx.platform.loadTerminal()) };
}

/** Checks everything that can be checked without asking. Returns undefined if a person may be calling. */
export const findMissingProof = async (ctx: ProofContext, operation = ''): Promise<MissingProof | undefined> =>
  findMissing(ctx, await readProofMethod(ctx.platform, operation));

async function findMissing({ platform, gateway, caller }: ProofContext, method: ProofMethod): Promise<MissingProof | undefined> {
  if (gateway !== 'cli') return createMissing('only a command line can ask a person');
  if (caller.agent !== platform.caller.agent) return createMissing(`the call names the agent ${caller.agent}`, { mark: '--agent' });
  if (method === 'ssh') return undefined;
  const terminal = await platform.loadTerminal();
  if (method === 'terminal') return findTerminalProblem(terminal);
  if (!(await platform.loadPassphrase()).isSet()) return createMissing(noPassphrase, passphraseSetting);
  return terminal.name === undefined ? createMissing(noTerminal) : undefined;
}

export const noPassphrase = 'decide.proof is passphrase, and no passphrase is set';
export const passphraseSetting = { hint: 'Set one at a terminal: cleo proof passphrase' };
const noTerminal = 'the command has no controlling terminal to ask on';

/** Returns the reason why the terminal is not that of a person. */
export function findTerminalProblem({ name, marks: [mark] }: PersonTerminal): MissingProof | undefined {
  if (mark)
    return createMissing(describeMark(mark) + (name === undefined ? '' : passphraseAdvice), { mark: mark.name, hint: passphraseHint });
  return name === undefined ? createMissing(noTerminal) : undefined;
}

/** Reads the method. The operation that sets the passphrase is proved by the passphrase that it replaces. */
export async function readProofMethod(platform: Platform, operation: string): Promise<ProofMethod> {
  const { config, loadPassphrase } = platform;
  const own = config.inspect(config.userFile()).values['decide.proof'];
  const { 'decide.proof': shared } = await readProjectProof(platform);
  const method = chooseProofMethod(shared ?? own ?? defaultConfig['decide.proof'], own);
  if (operation !== 'admin.proof.passphrase' || method === 'ssh') return method;
  return (await loadPassphrase()).isSet() ? 'passphrase' : 'terminal';
}

/** Reads what the project says about proofs: as a person has accepted it, once there is such a record. A change by other means must not
 *  decide who may accept it. */
async function readProjectProof({ config, getProject, loadTrust }: Platform): Promise<Partial<Config>> {
  const project = getProject();
  if (!project) return {};
  const policy = (await loadTrust()).readRecord(project)?.policy as Partial<Config> | undefined;
  // Other values may be invalid: a person has to be able to repair the file.
  return policy ?? config.inspect(config.projectFile(project)).values;
}

/** Reads the keys whose signatures prove a person. */
export async function readSigners(platform: Platform): Promise<string[]> {
  const { config } = platform;
  const shared = (await readProjectProof(platform))['decide.signers'];
  return shared ?? config.inspect(config.userFile()).values['decide.signers'] ?? [];
}

/** Asks the person to type the id again. This asks, and does not prove: a program that opens a terminal can type as well, so the
 *  evidence lists the processes that the command was started by. */
export async function askForId(terminal: PersonTerminal, { id, action }: ProofSubject): Promise<PersonProof | MissingProof> {
  const typed = await terminal.ask(`${toOneLine(action)} requires a person. Type ${toOneLine(id)} to confirm: `, {
    timeoutMs: answerTimeoutMs,
  });
  const given = typed?.trim() ?? '';
  if (given !== id) return createMissing(given === '' ? `${id} was not typed` : `${toOneLine(given).slice(0, 80)} was typed, not ${id}`);
  return { isProved: true, via: 'terminal', evidence: { subject: id, ...describeTerminal(terminal), typed: id } };
}

const maxProcesses = 16;

/** Describes the terminal for the audit row. */
export const describeTerminal = ({ name, processes }: PersonTerminal): Record<string, unknown> => ({
  terminal: name ?? null,
  processes: processes.slice(0, maxProcesses),
});

/** Added only if there is a terminal, because an agent has none of its own. */
const passphraseAdvice = '; a person can use decide.proof passphrase, which ignores marks';

const passphraseHint =
  'If you are a person, run the command in a terminal without that mark, or use decide.proof passphrase, which does not depend on marks';

export const createMissing = (problem: string, more: Pick<MissingProof, 'mark' | 'hint' | 'method'> = {}): MissingProof => ({
  isProved: false,
  problem,
  ...more,
});
