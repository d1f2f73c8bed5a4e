import { isLegalStageMove, type StageMove } from '#planning/rules/stage-moves.ts';
import type { Result } from '../../api/operations.generated.ts';
import { ask } from '../../components/ask-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Panel } from '../../components/panel.tsx';
import { StateIcon } from '../../components/state-badge.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { runAction } from '../../state/actions.ts';
import { type QueryState, useQuery } from '../../state/use-query.ts';

type Stage = Result<'lifecycle.status'>['lifecycle']['stages'][number];

const shapes = { pending: 'pending', active: 'active', completed: 'done', skipped: 'pending', failed: 'blocked' } as const;
const moves: StageMove[] = ['start', 'complete', 'skip', 'fail', 'reset'];
const verbs: Record<StageMove, string> = {
  start: 'Start',
  complete: 'Complete',
  skip: 'Skip…',
  fail: 'Mark as failed…',
  reset: 'Reset to pending',
};

/** Reads the stages of an epic. Workers that are spawned start stages too. */
export const useStages = (epicId: string | undefined): QueryState<'lifecycle.status'> =>
  useQuery('lifecycle.status', epicId === undefined ? undefined : { epicId }, {
    isAffected: ({ operation }) => /^(lifecycle|orchestrate)\./.test(operation),
  });

/** The stages of an epic in order. Each opens a menu with the moves that its status allows. */
export function StageList({ epicId, canWrite }: { epicId: string; canWrite: boolean }) {
  const lifecycle = useStages(epicId).data?.lifecycle;
  if (!lifecycle) return null;
  const groups = groupStages(lifecycle.stages);
  if (groups.length === 0 && !canWrite) return null;
  return (
    <Panel title="Lifecycle" actions={<span class="muted">enforcement: {lifecycle.mode}</span>}>
      <ol class="stages">
        {lifecycle.stages.map((stage) => (
          <li key={stage.stage}>
            <Menu
              label={`Stage ${stage.stage}, ${stage.status}`}
              className={`stage state-badge ${shapes[stage.status]}`}
              disabled={!canWrite}
              items={moves
                .filter((move) => isLegalStageMove(stage.status, move))
                .map((move) => ({ label: verbs[move], run: () => void moveStage(epicId, stage.stage, move) }))}
            >
              <StageIcon status={stage.status} />
              {stage.stage}
            </Menu>
          </li>
        ))}
      </ol>
      {groups.length > 0 && (
        <ul class="rows">
          {groups.map(({ first, last }) => (
            <li key={first.stage} class="row">
              <StageIcon status={first.status} />
              <span class="text">
                {first === last ? first.stage : `${first.stage} to ${last.stage}`} {first.status}
                {first.reason && `: ${first.reason}`} {first.provenance && <code class="text">{first.provenance}</code>}
              </span>
              <span class="row-end muted">
                {last.by} {last.at && <TimeAgo time={last.at} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Groups the stages that were changed: neighbours with the same status, reason and author are one row. */
function groupStages(stages: Stage[]): { first: Stage; last: Stage }[] {
  const groups: { first: Stage; last: Stage }[] = [];
  let before: Stage | undefined;
  for (const stage of stages) {
    const group = groups.at(-1);
    const isSame = (['status', 'by', 'reason', 'provenance'] as const).every((key) => stage[key] === group?.first[key]);
    if (stage.status !== 'pending' && group && group.last === before && isSame) group.last = stage;
    else if (stage.status !== 'pending') groups.push({ first: stage, last: stage });
    before = stage;
  }
  return groups;
}

export const StageIcon = ({ status }: { status: Stage['status'] }) =>
  status === 'skipped' ? <Icon name="archive" size={14} /> : <StateIcon status={shapes[status]} isLabelled />;

async function moveStage(epicId: string, stage: Stage['stage'], move: StageMove): Promise<void> {
  const target = { epicId, stage };
  if (move === 'start') await runAction('lifecycle.start', target, `Started ${stage}`);
  else if (move === 'reset') await runAction('lifecycle.reset', target, `${stage} is pending`);
  else if (move === 'complete') await completeStage(epicId, stage);
  else {
    const reason = await ask({
      title: `${move === 'skip' ? 'Skip' : 'Mark as failed:'} ${stage} of ${epicId}`,
      label: 'Reason',
      hint: 'It is recorded in the log.',
      confirm: move === 'skip' ? 'Skip' : 'Mark as failed',
    });
    if (reason === undefined) return;
    if (move === 'skip') await runAction('lifecycle.skip', { ...target, reason }, `Skipped ${stage}`);
    else await runAction('lifecycle.fail', { ...target, reason }, `${stage} failed`);
  }
}

/** A release names where it comes from; the other stages need nothing. */
async function completeStage(epicId: string, stage: Stage['stage']): Promise<void> {
  const provenance =
    stage === 'release'
      ? await ask({
          title: `Complete release of ${epicId}`,
          label: 'Source of the release',
          hint: 'commit:<sha>, tag:<name> or artifact:<algorithm>:<digest>',
          confirm: 'Complete',
        })
      : undefined;
  if (stage === 'release' && provenance === undefined) return;
  await runAction('lifecycle.complete', { epicId, stage, ...(provenance ? { provenance } : {}) }, ({ next }) =>
    next ? `Completed ${stage}; ${next} is next` : `Completed ${stage}`,
  );
}
