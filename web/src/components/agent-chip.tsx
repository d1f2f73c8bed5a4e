import { formatAge } from '#core/terminal/cell.ts';
import { useNow } from '../state/clock.ts';
import type { IndexTask } from '../state/task-index.ts';

type Claim = Pick<NonNullable<IndexTask['claim']>, 'agent' | 'since' | 'state' | 'lastSeen'>;

/** A color for each name, so that an agent looks the same everywhere. */
function toHue(name: string): number {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.codePointAt(0)!) % 360;
  return hash;
}

export function Avatar({ name }: { name: string }) {
  const initials = [...name.replace(/^.*[/@:]/, '')].slice(0, 2).join('').toUpperCase();
  return (
    <span class="avatar" style={{ '--hue': String(toHue(name)) }} aria-hidden="true">
      {initials}
    </span>
  );
}

const presenceText = { present: 'at work', away: 'away', silent: 'silent', expired: 'expired' };

/** The holder of a task and its presence: a filled dot at work, a ring when away, a bar when silent, a cross when expired. */
export function AgentChip({ claim, isShort = false }: { claim: Claim; isShort?: boolean }) {
  const now = useNow();
  const state = claim.state ?? 'present';
  const seen = claim.lastSeen ? `, last seen ${formatAge(claim.lastSeen, now)}` : '';
  return (
    <span class={`agent-chip ${state}`} title={`${claim.agent} ${presenceText[state]}${seen}; since ${claim.since} UTC`}>
      <Avatar name={claim.agent} />
      <span class="line">{claim.agent}</span>
      <span class="presence" aria-hidden="true" />
      <span class={isShort && state === 'present' ? 'visually-hidden' : 'muted'}>{presenceText[state]}</span>
    </span>
  );
}

/** The agent or person that a task is meant for. */
export const AssigneeChip = ({ name }: { name: string }) => (
  <span class="agent-chip" title={`Assigned to ${name}`}>
    <Avatar name={name} />
    <span class="line">{name}</span>
  </span>
);
