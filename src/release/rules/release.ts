import { type Provenance, type ReleaseRecord, type ReleaseStep, type ReleaseStepName, ReleaseStepNameSchema } from '../model/release.ts';

export interface ShipOptions {
  bumpVersion: boolean;
  createTag: boolean;
  push: boolean;
}

const stepOrder = ReleaseStepNameSchema.options;

/** Lists the steps that remain, in order. All steps before the commit run again until there is one, because the files may have changed.
 *  `hasCommit` is false if the commit of the release is not part of the checked-out branch. */
export function listRemainingSteps({ steps }: Pick<ReleaseRecord, 'steps'>, options: ShipOptions, hasCommit: boolean): ReleaseStepName[] {
  const isDone = (name: ReleaseStepName): boolean => steps.some(({ step, state }) => step === name && state === 'done');
  // Writing the version later needs another commit.
  const isCommitted = hasCommit && !(options.bumpVersion && !isDone('bump'));
  const isTagged = isCommitted && isDone('tag');
  const isNeeded: Record<ReleaseStepName, boolean> = {
    gates: !hasCommit,
    changelog: !hasCommit,
    bump: options.bumpVersion && !isCommitted,
    commit: !isCommitted,
    tag: options.createTag && !isTagged,
    push: options.push && !(isCommitted && isDone('push') && (isTagged || !options.createTag)),
  };
  return stepOrder.filter((name) => isNeeded[name]);
}

/** Records a step and drops the steps after it, which have to run again. */
export function recordStep(steps: ReleaseStep[], step: ReleaseStep): ReleaseStep[] {
  const before = steps.filter((each) => stepOrder.indexOf(each.step) < stepOrder.indexOf(step.step));
  return [...before, step];
}

/** Finds uncommitted files that block a release, without those that the release writes itself. */
export function findUncommitted(changed: string[], { own, folders }: { own: string[]; folders: string[] }): string[] {
  return changed.filter((path) => !own.includes(path) && !folders.some((folder) => path === folder || path.startsWith(`${folder}/`)));
}

export const formatCommitMessage = (version: string, tasks: string[]): string =>
  `Release ${version}\n\n${tasks.length === 0 ? '' : `${wrapText(`Tasks: ${tasks.join(', ')}`)}\n\n`}Cleo-Release: ${version}\n`;

export const formatTagMessage = (version: string, entries: string): string =>
  `${version}\n${entries ? `\n${entries.replace(/^### (.*)$/gm, '$1:')}\n` : ''}`;

/** Creates an in-toto statement that links the artifacts to the commit and the tasks. */
export function createStatement(version: string, at: string, { commit, tree, tasks, artifacts }: Provenance, builder: string): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: `git:${version}`, digest: { gitCommit: commit, gitTree: tree } },
      ...artifacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    ],
    predicateType: 'urn:cleo:release:v1',
    predicate: { version, builder, finishedOn: at, tasks },
  };
}

/** Wraps at 72 characters. */
const wrapText = (text: string): string => text.replace(/(.{1,72})(?: |$)/g, '$1\n').trimEnd();
