import { useState } from 'preact/hooks';
import { matchNames } from '#core/rules/match-names.ts';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { type QueryState, useQuery } from '../../state/use-query.ts';
import { DocumentLink } from './memory-row.tsx';

const pageSize = 100;

/** Reads all documents: their list has no contents, and typing a filter waits for no answer. */
export const useDocuments = (): QueryState<'docs.list'> =>
  useQuery('docs.list', { limit: 0 }, { isAffected: ({ operation }) => /^(docs|memory)\./.test(operation) });

/** The documents that match a text, or all of them, the last changed first. */
export function DocumentList({ documents, text }: { documents: QueryState<'docs.list'>; text: string }) {
  const [limit, setLimit] = useState(pageSize);
  const { data, failure, reload } = documents;
  const docs = matchNames(data?.docs ?? [], text, ({ slug, title, type }) => `${slug} ${title} ${type}`);
  return (
    <Panel title="Documents" count={docs.length}>
      {failure && <ErrorNote failure={failure} onRetry={reload} />}
      {data && docs.length === 0 && (
        <p class="panel-none">{text ? 'No document matches.' : <CopyCommand command="cleo docs add T001 notes.md" />}</p>
      )}
      <ul class="rows">
        {docs.slice(0, limit).map(({ slug, title, type, version, updatedAt, stale }) => (
          <li key={slug} class="row memory-row" data-nav>
            <DocumentLink slug={slug} title={title} />
            <span class="row-end muted">
              {stale && (
                <span class="stale-mark" title={`Cites ${stale.map(({ id }) => id).join(', ')}, which was superseded`}>
                  <Icon name="warning" size={14} /> stale
                </span>
              )}
              <span class="line">
                {type} v{version}
              </span>
              <TimeAgo time={updatedAt} />
            </span>
          </li>
        ))}
      </ul>
      {docs.length > limit && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit + 4 * pageSize)}>
            Show more
          </button>
        </p>
      )}
    </Panel>
  );
}
