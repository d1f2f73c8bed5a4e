import { type Config, evidenceGateNames } from '#core/model/config.ts';
import type { GateName } from '#core/model/scalars.ts';
import type { GateEvidence, Observer } from '../model/verification.ts';
import type { EvidenceClaim } from './evidence.ts';

type OpeningKind = EvidenceClaim['kind'] | 'verdict';

/** A kind of evidence that counts for a gate. `name` limits it to one tool. */
interface OpeningPiece {
  kind: OpeningKind;
  name?: string;
}

/** Ways to open each gate. The pieces of one way are needed together; further pieces may be of any kind. */
export type GatePolicy = Readonly<Record<GateName, readonly (readonly OpeningPiece[])[]>>;

/** A run opens `implemented` through the files it wrote, which have to differ from the baseline like any others. */
const defaultKinds: Record<GateName, string[]> = {
  implemented: ['commit', 'files', 'run'],
  testsPassed: ['tool', 'run', 'test-run'],
  qaPassed: ['verdict', 'run'],
};

/** Returns the policy of a project: `verification.gates`, or the defaults. A project that allows notes has decided that statements open
 *  its gates. */
export function getGatePolicy(config: Partial<Config>): GatePolicy {
  const notes = config['verification.allowNotes'] ? ['url', 'note'] : [];
  const policy = evidenceGateNames.map((gate) => {
    const own = config[`verification.gates.${gate}`] ?? defaultKinds[gate];
    return [gate, [...new Set([...own, ...notes])].map(parseWay)] as const;
  });
  return Object.fromEntries(policy) as Record<GateName, OpeningPiece[][]>;
}

/** Parses `tool:test+tool:lint`. */
const parseWay = (text: string): OpeningPiece[] =>
  text.split('+').map((piece) => {
    const [kind, name] = piece.split(':') as [OpeningKind, string?];
    return name === undefined ? { kind } : { kind, name };
  });

type PieceFacts = EvidenceClaim | GateEvidence;

/** True if the pieces together open the gate. */
export const opensGate = (policy: GatePolicy, gate: GateName, pieces: readonly PieceFacts[]): boolean =>
  policy[gate].some((way) => way.every((needed) => pieces.some((piece) => fits(needed, piece))));

/** True if the piece can help to open the gate. */
export const countsForGate = (policy: GatePolicy, gate: GateName, piece: PieceFacts): boolean =>
  policy[gate].some((way) => way.some((needed) => fits(needed, piece)));

const fits = ({ kind, name }: OpeningPiece, piece: PieceFacts): boolean =>
  piece.kind === kind && (name === undefined || name === getToolName(piece));

const getToolName = (piece: PieceFacts): string | undefined =>
  piece.kind !== 'tool' ? undefined : 'name' in piece ? piece.name : piece.value;

export const needsTool = (policy: GatePolicy, gate: GateName): boolean => policy[gate].flat().some(({ kind }) => kind === 'tool');

/** Returns evidence that consists of configured tools and opens the gate, such as `tool:test`; undefined if there is none. */
export function suggestToolEvidence(policy: GatePolicy, gate: GateName, tools: readonly string[]): string | undefined {
  const anyTool = tools.includes('test') ? 'test' : tools[0];
  for (const way of policy[gate]) {
    const names = way.map(({ kind, name = anyTool }) => (kind === 'tool' && name && tools.includes(name) ? `tool:${name}` : undefined));
    if (!names.includes(undefined)) return names.join('; ');
  }
  return undefined;
}

/** The reason why evidence that this process checks does not count; undefined if it does. */
export function findObserverProblem(config: Partial<Config>, gate: GateName, { token }: Pick<Observer, 'token'>): string | undefined {
  const key = `verification.observers.${gate}` as const;
  const observers = config[key] ?? [];
  if (observers.length === 0 || (token !== undefined && observers.includes(token))) return undefined;
  const caller = token === undefined ? 'this call has no token' : `this call has the token ${JSON.stringify(token)}`;
  return `${key} accepts ${gate} from ${joinAlternatives(observers)} only, and ${caller}`;
}

const formLabels: Record<OpeningKind, string> = {
  commit: 'commit:<sha>',
  files: 'files:<path>,<path>',
  tool: 'tool:<name>',
  'test-run': 'test-run:<report that such a tool or run wrote>',
  run: 'run:<id of a run for this task>',
  url: 'url:<address>',
  note: 'note:<text>',
  verdict: 'a verdict of the validator (validator attest)',
};

const formatPiece = ({ kind, name }: OpeningPiece): string => (name === undefined ? formLabels[kind] : `${kind}:${name}`);

/** Lists the forms of evidence that open a gate. */
export const listOpeningForms = (policy: GatePolicy, gate: GateName): string[] =>
  policy[gate].map((way) => way.map(formatPiece).join(' together with '));

/** The reason why a piece of evidence does not open a gate. */
export function formatUnfitProblem(policy: GatePolicy, gate: GateName, { kind, text }: EvidenceClaim): string {
  const isStatement = kind === 'note' || kind === 'url';
  const subject = isStatement ? JSON.stringify(text.slice(0, 80)) : kind === 'tool' ? text.slice(0, 80) : `${kind}:`;
  const reason = isStatement ? 'cannot be checked and ' : '';
  return `${subject} ${reason}does not open ${gate}, which needs ${joinAlternatives(listOpeningForms(policy, gate))}`;
}

const joinAlternatives = (items: string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;

/** The moment that the work on a task is compared with. */
export interface BaselineMoment {
  taskId: string;
  /** The task was claimed at this moment; otherwise it was created. */
  isClaim: boolean;
}

const formatMoment = ({ taskId, isClaim }: BaselineMoment): string => `${taskId} was ${isClaim ? 'first claimed' : 'created'}`;

/** The reason why a commit is not work on the task; undefined if it is. */
export function findCommitProblem(
  commit: string,
  { isEmpty, isInBaseline, isCopied }: { isEmpty: boolean; isInBaseline: boolean; isCopied: boolean },
  moment: BaselineMoment,
): string | undefined {
  const name = commit.slice(0, 12);
  if (isInBaseline) return `${name} existed when ${formatMoment(moment)}`;
  if (isCopied) return `${name} only repeats a change that existed when ${formatMoment(moment)}`;
  return isEmpty ? `${name} changes no file outside .cleo` : undefined;
}

/** The problem of a checkout without the baseline: nothing shows what was there before the work. */
export const formatMissingBaseline = (head: string, folder: string, moment: BaselineMoment): string =>
  `${folder} has neither the commit ${head.slice(0, 12)}, which was checked out when ${formatMoment(moment)}, nor an older one; submit from a checkout of the project's repository`;

/** The reason why a file is not work on the task; undefined if it is. `name` is its path in the project. */
export function findFileProblem(name: string, facts: { isChanged: boolean }, moment: BaselineMoment): string | undefined {
  const hidden = name.split('/').find((part) => part === '.cleo' || part === '.git');
  if (hidden) return `${JSON.stringify(name)} is under ${hidden}, where no work is stored`;
  return facts.isChanged ? undefined : `${JSON.stringify(name)} has not changed since ${formatMoment(moment)}`;
}

/** A file now and at the baseline. */
interface FileState {
  size?: number;
  changedAt?: string;
  sha256?: string;
}

/** True if a file outside git differs from the baseline. A file that was declared is compared by its content, as far as that was
 *  hashed; any other has to be newer than the baseline. */
export function isChangedSince(file: FileState & { changedAt: string }, before: FileState | undefined, at: string): boolean {
  // Some file systems store whole seconds.
  if (before === undefined) return file.changedAt >= at.slice(0, 19);
  if (before.sha256 !== undefined) return before.sha256 !== file.sha256;
  return before.size !== file.size || before.changedAt !== file.changedAt;
}
