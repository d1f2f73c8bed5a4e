import type { Result } from '../../api/operations.generated.ts';
import { ask } from '../../components/ask-dialog.tsx';
import { runAction } from '../../state/actions.ts';

export type MemoryEntry = Result<'memory.find'>['memories'][number];
export type MemoryType = MemoryEntry['type'];

type MemoryState = MemoryEntry['confirmation_state'];

/** The states in the order of the lists: first what waits for a person. */
export const stateTitles: Record<MemoryState, string> = {
  proposed: 'Proposed',
  accepted: 'Accepted',
  superseded: 'Superseded',
  rejected: 'Rejected',
};
const typeTitles: Record<MemoryType, string> = {
  decision: 'Decisions',
  observation: 'Observations',
  pattern: 'Patterns',
  learning: 'Learnings',
};

/** The choices of the filters. */
export const stateChoices = Object.entries(stateTitles) as [MemoryState, string][];
export const typeChoices = Object.entries(typeTitles) as [MemoryType, string][];

/** An entry can be decided until it is superseded. */
export const canDecide = ({ confirmation_state: state }: Pick<MemoryEntry, 'confirmation_state'>): boolean => state !== 'superseded';

export const confirmMemory = ({ id }: Pick<MemoryEntry, 'id'>) => runAction('memory.confirm', { id }, `Confirmed ${id}`);

export async function rejectMemory({ id, title }: Pick<MemoryEntry, 'id' | 'title'>): Promise<void> {
  const reason = await ask({
    title: `Reject ${id}`,
    label: 'Reason',
    hint: title,
    confirm: 'Reject',
    isLong: true,
    isOptional: true,
    isDanger: true,
  });
  if (reason !== undefined) await runAction('memory.reject', { id, ...(reason ? { reason } : {}) }, `Rejected ${id}`);
}
