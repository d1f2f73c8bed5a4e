import type { Progress } from '../state/task-summaries.ts';

/** A bar of what is done, active and blocked, with the figures as text. */
export function EpicProgress({ progress, label }: { progress: Progress; label: string }) {
  const { done, active, blocked, total } = progress;
  const percent = (count: number): string => `${total === 0 ? 0 : (100 * count) / total}%`;
  const text = `${done} of ${total} done${active ? `, ${active} active` : ''}${blocked ? `, ${blocked} blocked` : ''}`;
  return (
    <span class="epic-progress" role="img" aria-label={`${label}: ${text}`} title={text}>
      <span class="bar">
        <span class="done" style={{ width: percent(done) }} />
        <span class="active" style={{ width: percent(active) }} />
        <span class="blocked" style={{ width: percent(blocked) }} />
      </span>
      <span class="figures">
        {done}/{total}
      </span>
    </span>
  );
}
