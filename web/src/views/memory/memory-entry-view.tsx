import './memory.css';
import { useEffect, useState } from 'preact/hooks';
import type { Result } from '../../api/operations.generated.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink, toTaskUrl } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl, type RecordKind } from '../../routes.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { useQuery } from '../../state/use-query.ts';
import { canDecide, confirmMemory, type MemoryEntry, rejectMemory } from './memory-actions.ts';
import { DocumentLink, MemoryLink, MemoryState } from './memory-row.tsx';
import { SupersedeDialog } from './supersede-dialog.tsx';

type Entry = Result<'memory.fetch'>['memory'];
type Timeline = Result<'memory.timeline'>['timeline'];

/** One entry of memory: its text, who decided it and how, what cites it, and what was written around the same time. */
export function MemoryEntryView({ id }: { id: string }) {
  const { data, failure, reload } = useQuery('memory.fetch', { id });
  const timeline = useQuery('memory.timeline', { id }, { isAffected: ({ operation }) => /^(memory|docs|tasks)\./.test(operation) }).data
    ?.timeline;
  const memory = data?.memory;
  useEffect(() => {
    if (memory) document.title = `${memory.id} ${memory.title}`;
  }, [memory?.id, memory?.title]);
  useShortcuts('Memory', [{ keys: 'Escape', about: 'Back', run: () => history.back() }]);
  if (failure && !memory) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!memory) return <LoadingLines count={8} />;
  return (
    <div class="view-scroll">
      <div class="view record">
        <EntryHead memory={memory} />
        <div class="record-main">
          <Panel title="Content">
            <div class="record-content">
              <Markdown text={memory.content} />
            </div>
          </Panel>
          {timeline && <Citations timeline={timeline} />}
        </div>
        <aside class="record-side" aria-label="Properties">
          <EntryProperties memory={memory} />
          {timeline && <Neighbours timeline={timeline} />}
        </aside>
      </div>
    </div>
  );
}

function EntryHead({ memory }: { memory: Entry }) {
  const canWrite = useCanWrite();
  const [isSuperseding, setSuperseding] = useState(false);
  const { id, title, confirmation_state: state, supersededBy, stale = [] } = memory;
  return (
    <header class="record-head">
      <nav class="record-path" aria-label="Path">
        <a href="/memory">Memory</a> / <a href={`/memory?kind=${memory.type}`}>{memory.type}</a>
      </nav>
      <div class="record-title">
        <span class="task-id">{id}</span>
        <h1 class="text">{title}</h1>
      </div>
      <div class="record-actions">
        <MemoryState state={state} />
        {supersededBy && (
          <span class="superseded-by">
            by <MemoryLink id={supersededBy} />
          </span>
        )}
        <span class="spacer" />
        {canDecide(memory) && state !== 'accepted' && (
          <button type="button" class="button primary" disabled={!canWrite} onClick={() => void confirmMemory(memory)}>
            Confirm
          </button>
        )}
        {canDecide(memory) && state !== 'rejected' && (
          <button type="button" class="button" disabled={!canWrite} onClick={() => void rejectMemory(memory)}>
            Reject…
          </button>
        )}
        {canDecide(memory) && (
          <button type="button" class="button" disabled={!canWrite} onClick={() => setSuperseding(true)}>
            Supersede…
          </button>
        )}
      </div>
      {stale.map((citation) => (
        <p key={citation.id} class="stale-note">
          <Icon name="warning" />
          <span>
            It cites <MemoryLink id={citation.id} />, which was superseded by <MemoryLink id={citation.supersededBy} />.
          </span>
        </p>
      ))}
      {isSuperseding && <SupersedeDialog entry={memory} onClose={() => setSuperseding(false)} />}
    </header>
  );
}

function EntryProperties({ memory }: { memory: Entry }) {
  const { tags = [], tasks = [], proof } = memory;
  return (
    <Panel title="Properties">
      <Facts>
        <Fact name="Written">
          {memory.createdBy}, <TimeAgo time={memory.createdAt} />
        </Fact>
        <Fact name="Source">
          {memory.source_table} <SourceLink table={memory.source_table} id={memory.source_rowid} />
        </Fact>
        {tasks.length > 0 && (
          <Fact name="Tasks">
            {tasks.map((id) => (
              <TaskLink key={id} id={id} />
            ))}
          </Fact>
        )}
        {tags.length > 0 && (
          <Fact name="Tags">
            {tags.map((tag) => (
              <a key={tag} class="chip line" href={`/memory?tag=${encodeURIComponent(tag)}`}>
                {tag}
              </a>
            ))}
          </Fact>
        )}
        {memory.decidedBy && (
          <Fact name="Decided">
            {memory.decidedBy}
            {memory.decidedAt && (
              <>
                , <TimeAgo time={memory.decidedAt} />
              </>
            )}
          </Fact>
        )}
        {memory.reason && <Fact name="Reason">{memory.reason}</Fact>}
        {proof && (
          <Fact name="Proof">{[proof.via, proof.token, proof.signer, proof.fingerprint, proof.terminal].filter(Boolean).join(', ')}</Fact>
        )}
      </Facts>
    </Panel>
  );
}

const sourceKinds: Record<string, RecordKind> = { session: 'session', doc: 'document' };

/** The origin of an entry; a link if it has a view. */
function SourceLink({ table, id }: { table: string; id: string }) {
  const kind = sourceKinds[table];
  const url = table === 'task' ? toTaskUrl(id) : kind && getRecordUrl(kind, id);
  return url ? (
    <a class="source-link text" href={url}>
      {id}
    </a>
  ) : (
    <span>{id}</span>
  );
}

function Citations({ timeline }: { timeline: Timeline }) {
  const { cites = [], citedBy = [], supersedes = [] } = timeline;
  return (
    <>
      <EntryPanel title="Supersedes" entries={supersedes} />
      <EntryPanel title="Cites" entries={cites} />
      {citedBy.length > 0 && (
        <Panel title="Cited by" count={citedBy.length}>
          <ul class="rows">
            {citedBy.map(({ kind, id, title }) => (
              <li key={kind + id} class="row">
                <span class="row-kind">{kind === 'doc' ? 'document' : kind}</span>
                {kind === 'memory' ? (
                  <MemoryLink id={id} title={title} />
                ) : kind === 'doc' ? (
                  <DocumentLink slug={id} title={title} />
                ) : (
                  <TaskLink id={id} title={title} />
                )}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const EntryPanel = ({ title, entries }: { title: string; entries: MemoryEntry[] }) =>
  entries.length === 0 ? null : (
    <Panel title={title} count={entries.length}>
      <ul class="rows">
        {entries.map((entry) => (
          <li key={entry.id} class="row">
            <MemoryLink id={entry.id} title={entry.title} />
            <span class="row-end">
              <MemoryState state={entry.confirmation_state} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );

/** Entries that were written before and after this one, the newest first. */
function Neighbours({ timeline }: { timeline: Timeline }) {
  const { before = [], after = [] } = timeline;
  if (before.length + after.length === 0) return null;
  return (
    <Panel title="Written around the same time">
      <ul class="neighbours">
        {[...after].reverse().map((entry) => (
          <li key={entry.id}>
            <MemoryLink id={entry.id} title={entry.title} />
          </li>
        ))}
        <li class="this-entry" aria-current="true">
          <span class="task-id">{timeline.memory.id}</span> this entry
        </li>
        {before.map((entry) => (
          <li key={entry.id}>
            <MemoryLink id={entry.id} title={entry.title} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
