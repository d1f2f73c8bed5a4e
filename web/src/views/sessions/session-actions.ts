import { ask } from '../../components/ask-dialog.tsx';
import type { SessionSummary } from '../../components/session-status.tsx';
import { runAction } from '../../state/actions.ts';

type NamedSession = Pick<SessionSummary, 'id' | 'name'>;

const getName = ({ id, name }: NamedSession): string => name ?? id;

/** Ends a session with a note for the next agent. A person decides it if the session belongs to another agent. */
export async function endSession(session: NamedSession): Promise<void> {
  const note = await ask({
    title: `End ${getName(session)}`,
    label: 'Note for the next agent',
    hint: 'What is done, what is open, what to watch out for. The tasks that are held in it become pending.',
    confirm: 'End it',
    isLong: true,
    isOptional: true,
  });
  if (note === undefined) return;
  await runAction(
    'session.end',
    note ? { note } : {},
    ({ left, released = [] }) =>
      [
        left ? `Left ${getName(session)}; other agents are still in it` : `Ended ${getName(session)}`,
        ...(released.length > 0 ? [`released ${released.join(', ')}`] : []),
      ].join('; '),
    { session: session.id },
  );
}

export async function suspendSession(session: NamedSession): Promise<void> {
  await runAction('session.suspend', {}, `Suspended ${getName(session)}`, { session: session.id });
}

/** Makes a session active again. The principal of this page is in it afterwards. */
export async function resumeSession(session: NamedSession): Promise<void> {
  await runAction('session.resume', { sessionId: session.id }, `Resumed ${getName(session)}`);
}
