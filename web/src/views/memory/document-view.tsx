import './memory.css';
import { useEffect, useState } from 'preact/hooks';
import { findCitations } from '#memory/rules/find-citations.ts';
import type { Result } from '../../api/operations.generated.ts';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { FilterSelect } from '../../components/filter.tsx';
import { Icon } from '../../components/icon.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { useParam } from '../../router.ts';
import { useCanWrite } from '../../state/actions.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { createIdCheck, useQuery } from '../../state/use-query.ts';
import { DiffLines } from './diff-lines.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { MemoryLink } from './memory-row.tsx';

type Fetched = Result<'docs.fetch'>;

/** Longer texts are cut: a document can have 64 MB. */
const maxShown = 300_000;

/** One document: its latest text or an earlier version, and what changed between two versions. */
export function DocumentView({ id }: { id: string }) {
  const [version, setVersion] = useParam('version');
  const [base, setBase] = useParam('compare');
  const options = { isAffected: createIdCheck(id) };
  const { data, failure, reload } = useQuery('docs.fetch', { slug: id, ...toVersion(version) }, options);
  const compared = useQuery('docs.fetch', base ? { slug: id, ...toVersion(base) } : undefined, options);
  const title = data?.doc.title;
  useEffect(() => {
    if (title) document.title = title;
  }, [title]);
  const versions = data?.doc.versions ?? 1;
  const shown = data?.doc.version ?? 1;
  useShortcuts('Document', [
    { keys: '[', about: 'Earlier version', run: () => shown > 1 && setVersion(String(shown - 1)) },
    { keys: ']', about: 'Later version', run: () => shown < versions && setVersion(toParam(shown + 1, versions)) },
    { keys: 'c', about: 'Compare with the version before', run: () => setBase(base || shown < 2 ? '' : String(shown - 1)) },
    { keys: 'e', about: 'Edit the text', run: () => document.querySelector<HTMLElement>('[data-action=edit-document]')?.click() },
    { keys: 'Escape', about: 'Back', run: () => history.back() },
  ]);
  if (failure && !data) return <ErrorNote isView failure={failure} onRetry={reload} />;
  if (!data) return <LoadingLines count={8} />;
  const { doc } = data;
  const numbers = Array.from({ length: versions }, (_, i) => versions - i);
  return (
    <div class="view-scroll">
      <div class="view record">
        <header class="record-head">
          <nav class="record-path" aria-label="Path">
            <a href="/memory">Memory</a> / <a href="/memory?kind=document">documents</a>
          </nav>
          <div class="record-title">
            <span class="task-id">{doc.slug}</span>
            <h1 class="text">{doc.title}</h1>
          </div>
          <div class="record-actions">
            <FilterSelect
              label="Version"
              value={String(doc.version)}
              onChange={(value) => setVersion(toParam(Number(value), versions))}
              choices={numbers.map((each) => [String(each), each === versions ? `${each} (latest)` : String(each)])}
              hasAll={false}
            />
            {versions > 1 && (
              <FilterSelect
                label="Compare with"
                value={base}
                onChange={setBase}
                choices={[['', 'no version'], ...numbers.map((each): [string, string] => [String(each), String(each)])]}
                hasAll={false}
              />
            )}
          </div>
          {doc.stale?.map(({ id: cited, supersededBy }) => (
            <p key={cited} class="stale-note">
              <Icon name="warning" />
              <span>
                It cites <MemoryLink id={cited} />, which was superseded
                {supersededBy && (
                  <>
                    {' '}
                    by <MemoryLink id={supersededBy} />
                  </>
                )}
                .
              </span>
            </p>
          ))}
        </header>
        <div class="record-main">
          {base ? (
            <Panel title={`Changes from version ${base} to ${doc.version}`}>
              {compared.failure && <ErrorNote failure={compared.failure} onRetry={compared.reload} />}
              {compared.data && <Comparison before={compared.data} after={data} />}
            </Panel>
          ) : (
            <ContentPanel fetched={data} isLatest={shown === versions} />
          )}
        </div>
        <aside class="record-side" aria-label="Properties">
          <Properties fetched={data} />
        </aside>
      </div>
    </div>
  );
}

const toVersion = (text: string): { version?: number } => (/^[1-9]\d{0,8}$/.test(text) ? { version: Number(text) } : {});

/** The latest version is not in the address, so that the page shows a later one as soon as it is stored. */
const toParam = (version: number, latest: number): string => (version === latest ? '' : String(version));

function ContentPanel({ fetched, isLatest }: { fetched: Fetched; isLatest: boolean }) {
  const canWrite = useCanWrite();
  const [isEdited, setEdited] = useState(false);
  const { doc, content, encoding } = fetched;
  const canEdit = canWrite && isLatest && encoding === 'utf8' && content.length <= maxShown;
  return (
    <Panel
      title="Content"
      actions={
        canEdit &&
        !isEdited && (
          <button
            type="button"
            class="button quiet small icon-only"
            data-action="edit-document"
            aria-label="Edit the text"
            onClick={() => setEdited(true)}
          >
            <Icon name="edit" size={14} />
          </button>
        )
      }
    >
      {isEdited ? (
        <DocumentEditor slug={doc.slug} content={content} version={doc.version} onClose={() => setEdited(false)} />
      ) : (
        <Content fetched={fetched} />
      )}
    </Panel>
  );
}

function Content({ fetched: { doc, content, encoding } }: { fetched: Fetched }) {
  const command = `cleo docs fetch ${doc.slug} --version ${doc.version}`;
  if (encoding === 'base64')
    return (
      <p class="panel-none">
        This version is not text. <CopyCommand command={`${command} > ${doc.slug}`} />
      </p>
    );
  return (
    <div class="record-content">
      <Markdown text={content.slice(0, maxShown)} />
      {content.length > maxShown && (
        <p class="muted">
          The first {maxShown.toLocaleString()} of {content.length.toLocaleString()} characters. <CopyCommand command={command} />
        </p>
      )}
    </div>
  );
}

function Comparison({ before, after }: { before: Fetched; after: Fetched }) {
  if (before.encoding === 'base64' || after.encoding === 'base64')
    return <p class="panel-none">A version that is not text cannot be compared.</p>;
  return (
    <>
      <p class="panel-none">
        Version {before.doc.version} by {before.doc.by}, <TimeAgo time={before.doc.at} />; version {after.doc.version} by {after.doc.by},{' '}
        <TimeAgo time={after.doc.at} />
      </p>
      <DiffLines before={before.content} after={after.content} label="Differences" />
    </>
  );
}

function Properties({ fetched: { doc, content, encoding } }: { fetched: Fetched }) {
  const cited = encoding === 'utf8' ? findCitations(content) : [];
  return (
    <Panel title="Properties">
      <Facts>
        <Fact name="Kind">{doc.type}</Fact>
        <Fact name={`Version ${doc.version}`}>
          {doc.by}, <TimeAgo time={doc.at} />
        </Fact>
        <Fact name="Created">
          {doc.createdBy}, <TimeAgo time={doc.createdAt} />
        </Fact>
        <Fact name="Size">{doc.size.toLocaleString()} bytes</Fact>
        {doc.file && <Fact name="File">{doc.file}</Fact>}
        <Fact name="SHA-256">
          <code>{doc.sha256.slice(0, 16)}…</code>
        </Fact>
        {doc.tasks.length > 0 && (
          <Fact name="Tasks">
            {doc.tasks.map((each) => (
              <TaskLink key={each} id={each} />
            ))}
          </Fact>
        )}
        {cited.length > 0 && (
          <Fact name="Cites">
            {cited.map((each) => (
              <MemoryLink key={each} id={each} />
            ))}
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
