import type { GateName } from '#core/model/scalars.ts';
import type { GateEvidence } from '../model/verification.ts';
import type { EvidenceClaim } from './evidence.ts';

type OpeningKind = EvidenceClaim['kind'] | 'verdict';

/** The kinds of evidence that open each gate. One piece of such a kind is enough; further pieces may be of any kind. */
export type GatePolicy = Readonly<Record<GateName, readonly OpeningKind[]>>;

/** A run opens `implemented` through the files it wrote, which have to differ from the baseline like any others. */
export const defaultGatePolicy: GatePolicy = {
  implemented: ['commit', 'files', 'run'],
  testsPassed: ['tool', 'run', 'test-run'],
  qaPassed: ['verdict', 'run'],
};

/** Returns the policy of a project. One that allows notes has decided that statements open its gates. */
export function getGatePolicy(allowsNotes: boolean): GatePolicy {
  if (!allowsNotes) return defaultGatePolicy;
  const { implemented, testsPassed, qaPassed } = defaultGatePolicy;
  return {
    implemented: [...implemented, 'url', 'note'],
    testsPassed: [...testsPassed, 'url', 'note'],
    qaPassed: [...qaPassed, 'url', 'note'],
  };
}

export const opensGate = (policy: GatePolicy, gate: GateName, { kind }: Pick<EvidenceClaim, 'kind'> | GateEvidence): boolean =>
  policy[gate].some((each) => each === kind);

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

/** Lists the forms of evidence that open a gate. */
export const listOpeningForms = (policy: GatePolicy, gate: GateName): string[] => policy[gate].map((kind) => formLabels[kind]);

/** The reason why a piece of evidence does not open a gate. */
export function formatUnfitProblem(policy: GatePolicy, gate: GateName, { kind, text }: EvidenceClaim): string {
  const subject = kind === 'note' || kind === 'url' ? JSON.stringify(text.slice(0, 80)) : `${kind}:`;
  const reason = kind === 'note' || kind === 'url' ? 'cannot be checked and ' : '';
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
  { isEmpty, isInBaseline }: { isEmpty: boolean; isInBaseline: boolean },
  moment: BaselineMoment,
): string | undefined {
  const name = commit.slice(0, 12);
  if (isInBaseline) return `${name} existed when ${formatMoment(moment)}`;
  return isEmpty ? `${name} changes no file outside .cleo` : undefined;
}

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
