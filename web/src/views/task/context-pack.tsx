import { useState } from 'preact/hooks';
import { estimateAnswerTokens } from '#lib/tokens.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { createIdCheck, useQuery } from '../../state/use-query.ts';

/** The context pack that an agent would get, with its size in tokens. It is read when a person opens it. */
export function ContextPack({ taskId }: { taskId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, failure } = useQuery('tasks.context', isOpen ? { taskId } : undefined, { isAffected: createIdCheck(taskId) });
  const text = data && JSON.stringify(data.pack);
  return (
    <Panel
      title="Context pack"
      actions={
        <button type="button" class="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </button>
      }
    >
      {!isOpen && <p class="panel-none">What an agent reads about this task.</p>}
      {isOpen && failure && <ErrorNote failure={failure} />}
      {isOpen && !data && !failure && <LoadingLines count={3} />}
      {isOpen && data && text && (
        <>
          <p class="panel-none">
            at most {estimateAnswerTokens(text).toLocaleString()} tokens
            {data.omitted && `; left out: ${data.omitted.map(({ section, count }) => `${count} ${section}`).join(', ')}`}
          </p>
          <pre class="pack text" tabIndex={0} role="region" aria-label="Context pack">
            {JSON.stringify(data.pack, null, 2)}
          </pre>
        </>
      )}
    </Panel>
  );
}
