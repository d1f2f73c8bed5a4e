import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { runAction } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import type { MemoryEntry } from './memory-actions.ts';

const maxSuggestions = 200;

/** Asks which entry replaces this one, and why. */
export function SupersedeDialog({ entry, onClose }: { entry: MemoryEntry; onClose: () => void }) {
  const [by, setBy] = useState('');
  const [reason, setReason] = useState('');
  const { data } = useQuery('memory.find', { type: entry.type, limit: maxSuggestions });
  const candidates = (data?.memories ?? []).filter(
    ({ id, confirmation_state: state }) => id !== entry.id && (state === 'proposed' || state === 'accepted'),
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const params = { old: entry.id, by: by.trim(), ...(reason.trim() ? { reason: reason.trim() } : {}) };
    const answer = await runAction('memory.supersede', params, ({ flagged }) => formatOutcome(entry.id, flagged.length));
    if (answer) onClose();
  };
  return (
    <Dialog title={`Supersede ${entry.id}`} onClose={onClose}>
      <p class="text muted">{entry.title}</p>
      <form class="dialog-form" onSubmit={submit}>
        <label class="field-label">
          Entry that replaces it
          <input
            class="field"
            list="supersede-candidates"
            autocomplete="off"
            autofocus
            placeholder={candidates[0]?.id ?? 'D-002'}
            value={by}
            onInput={(event) => setBy(event.currentTarget.value)}
          />
          {candidates.length === 0 && data && <span class="hint">No other {entry.type} is proposed or accepted. Store it first.</span>}
        </label>
        <datalist id="supersede-candidates">
          {candidates.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </datalist>
        <label class="field-label">
          Reason
          <textarea class="field" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={by.trim() === ''}>
            Supersede
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const formatOutcome = (id: string, citations: number): string =>
  citations === 0 ? `Superseded ${id}` : `Superseded ${id}; ${citations} ${citations === 1 ? 'record cites' : 'records cite'} it still`;
