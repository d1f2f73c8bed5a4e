import { AddLine } from '../../components/add-line.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { runAction } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { RecordLink, RemoveButton } from './record-row.tsx';

const maxSuggestions = 100;

/** Research entries that are linked to the task. It is shown in projects that have research. */
export function ResearchPanel({ taskId, canWrite }: { taskId: string; canWrite: boolean }) {
  const linked = useQuery('research.list', { task: taskId, limit: 50 }).data?.entries ?? [];
  const all = useQuery('research.list', canWrite ? { limit: maxSuggestions } : undefined).data?.entries ?? [];
  if (linked.length === 0 && all.length === 0) return null;
  const others = all.filter(({ id }) => !linked.some((entry) => entry.id === id));
  return (
    <Panel title="Research" count={linked.length}>
      {linked.length > 0 && (
        <ul class="side-group">
          {linked.map(({ id, title, status }) => (
            <li key={id} class="side-row">
              <Icon name="search" size={14} />
              <RecordLink>{title}</RecordLink>
              <span class="side-end muted">
                {status}
                {canWrite && (
                  <RemoveButton
                    label={`Unlink ${id}`}
                    onRemove={() => void runAction('research.unlink', { taskId, entryId: id }, `Unlinked ${id}`)}
                  />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {canWrite && others.length > 0 && (
        <AddLine
          label="Research entry"
          placeholder="Link a research entry"
          suggestions={others.map(({ id, title }) => `${id} ${title}`)}
          onAdd={async (text) => {
            const entryId = text.split(/\s/)[0]!;
            return (await runAction('research.link', { taskId, entryId }, `Linked ${entryId}`)) !== undefined;
          }}
        />
      )}
    </Panel>
  );
}
