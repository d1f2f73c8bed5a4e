import { useState } from 'preact/hooks';
import { runAction } from '../state/actions.ts';
import { useQuery } from '../state/use-query.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote, LoadingLines } from './states.tsx';

/** Shows a review and takes the verdict of a person. */
export function ReviewDialog({ review, onClose }: { review: string; onClose: () => void }) {
  const { data, failure } = useQuery('review.show', { review });
  const [verdict, setVerdict] = useState<'pass' | 'fail'>('pass');
  const [score, setScore] = useState('1');
  const [note, setNote] = useState('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = note.trim();
    const params = { review, verdict, score: Number(score), ...(text ? { note: text } : {}) };
    if (await runAction('review.resolve', params, `Resolved ${review}`)) onClose();
  };
  return (
    <Dialog title={`Review ${review}`} onClose={onClose}>
      {failure && <ErrorNote failure={failure} />}
      {!data && !failure && <LoadingLines count={2} />}
      {data && (
        <p class="text">
          <strong>{data.review.goal ?? data.review.kind}</strong>: {data.review.reason}
        </p>
      )}
      <form class="dialog-form" onSubmit={submit}>
        <div class="segments" role="group" aria-label="Verdict">
          {(['pass', 'fail'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={verdict === each} onClick={() => setVerdict(each)}>
              {each}
            </button>
          ))}
        </div>
        <label class="field-label">
          Score from 0 to 1
          <input
            class="field"
            type="number"
            min="0"
            max="1"
            step="0.05"
            value={score}
            onInput={(event) => setScore(event.currentTarget.value)}
          />
        </label>
        <label class="field-label">
          Note
          <textarea class="field" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
        </label>
        <div class="dialog-actions">
          <button type="submit" class="button primary">
            Resolve
          </button>
        </div>
      </form>
    </Dialog>
  );
}
