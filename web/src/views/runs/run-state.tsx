import { Icon, type IconName } from '../../components/icon.tsx';

/** Shapes and colours of the states of runs, executions, attempts, gates and work. */
const looks: Record<string, { icon: IconName; tone: string }> = {
  success: { icon: 'check', tone: 'done' },
  passed: { icon: 'check', tone: 'done' },
  pass: { icon: 'check', tone: 'done' },
  accepted: { icon: 'check', tone: 'done' },
  done: { icon: 'check', tone: 'done' },
  working: { icon: 'play', tone: 'active' },
  checking: { icon: 'search', tone: 'active' },
  judging: { icon: 'person', tone: 'active' },
  integrating: { icon: 'graph', tone: 'active' },
  waiting: { icon: 'clock', tone: 'pending' },
  stopped: { icon: 'stop', tone: 'pending' },
  attention: { icon: 'warning', tone: 'blocked' },
  running: { icon: 'play', tone: 'active' },
  partial: { icon: 'filter', tone: 'pending' },
  skipped: { icon: 'filter', tone: 'pending' },
  cancelled: { icon: 'stop', tone: 'pending' },
  blocked: { icon: 'block', tone: 'blocked' },
  timeout: { icon: 'clock', tone: 'blocked' },
  failure: { icon: 'close', tone: 'blocked' },
  failed: { icon: 'close', tone: 'blocked' },
  fail: { icon: 'close', tone: 'blocked' },
  rejected: { icon: 'close', tone: 'blocked' },
  error: { icon: 'warning', tone: 'blocked' },
  crashed: { icon: 'warning', tone: 'blocked' },
};
const unknownLook = { icon: 'dots', tone: 'pending' } as const;

export const getTone = (status: string | undefined): string => (looks[status ?? ''] ?? unknownLook).tone;

/** A status by shape, colour and name. */
export function RunState({ status }: { status: string }) {
  const { icon, tone } = looks[status] ?? unknownLook;
  return (
    <span class={`state-badge ${tone}`}>
      <Icon name={icon} size={14} />
      {status}
    </span>
  );
}
