import type { Provenance, ReleaseRecord, ReleaseStep, ReleaseStepName } from '../model/release.ts';

export interface Wanted {
  bumpVersion: boolean;
  createTag: boolean;
  push: boolean;
}

const order: ReleaseStepName[] = ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'];

/** What is left to do, in its order. Until there is a commit, all before it is done again: it costs little, and what it rests on
 *  may have changed. A commit that is no longer part of what is checked out was never made. */
export function stepsLeft({ steps }: Pick<ReleaseRecord, 'steps'>, wanted: Wanted, isCommitThere: boolean): ReleaseStepName[] {
  const isDone = (name: ReleaseStepName): boolean => steps.some(({ step, state }) => step === name && state === 'done');
  // A version that is to be written after all takes a commit of its own.
  const stands = isCommitThere && !(wanted.bumpVersion && !isDone('bump'));
  const isTagged = stands && isDone('tag');
  const isWanted: Record<ReleaseStepName, boolean> = {
    gates: !isCommitThere,
    changelog: !isCommitThere,
    bump: wanted.bumpVersion && !stands,
    commit: !stands,
    tag: wanted.createTag && !isTagged,
    push: wanted.push && !(stands && isDone('push') && (isTagged || !wanted.createTag)),
  };
  return order.filter((name) => isWanted[name]);
}

/** The record of the steps with this one in it; those that come after it have still to be done. */
export function withStep(steps: ReleaseStep[], step: ReleaseStep): ReleaseStep[] {
  const before = steps.filter((each) => order.indexOf(each.step) < order.indexOf(step.step));
  return [...before, step];
}

export const hasBegun = ({ steps }: Pick<ReleaseRecord, 'steps'>, name: ReleaseStepName): boolean =>
  steps.some(({ step }) => step === name);

/** Files that stand in the way of a release: all that is not as it was committed, but for what the release itself writes. */
export function inTheWay(changed: string[], { own, folders }: { own: string[]; folders: string[] }): string[] {
  return changed.filter((path) => !own.includes(path) && !folders.some((folder) => path === folder || path.startsWith(`${folder}/`)));
}

export const commitMessage = (version: string, tasks: string[]): string =>
  `Release ${version}\n\n${tasks.length === 0 ? '' : `${wrapped(`Tasks: ${tasks.join(', ')}`)}\n\n`}Cleo-Release: ${version}\n`;

export const tagMessage = (version: string, entries: string): string =>
  `${version}\n${entries ? `\n${entries.replace(/^### (.*)$/gm, '$1:')}\n` : ''}`;

/** A statement after the manner of in-toto: these things come from that commit, and these tasks are in it. */
export function statementOf(version: string, at: string, { commit, tree, tasks, artifacts }: Provenance, builder: string): object {
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

/** Lines of at most 72 characters. */
const wrapped = (text: string): string => text.replace(/(.{1,72})(?: |$)/g, '$1\n').trimEnd();
