import { useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { getRecordUrl } from '../../routes.ts';
import { runAction } from '../../state/actions.ts';
import { useQuery } from '../../state/use-query.ts';
import { AddButton, RecordLink, RemoveButton } from './record-row.tsx';

const maxShown = 50;
const maxSuggestions = 20;

/** Documents of the task. One is written here, or an existing one is attached. */
export function DocumentPanel({ taskId, canWrite }: { taskId: string; canWrite: boolean }) {
  const [form, setForm] = useState<'new' | 'existing' | undefined>();
  const { data } = useQuery('docs.list', { task: taskId, limit: maxShown });
  const docs = data?.docs ?? [];
  if (docs.length === 0 && !canWrite) return null;
  return (
    <Panel
      title="Documents"
      count={docs.length}
      actions={
        canWrite && <AddButton label="Add a document" isOpen={form !== undefined} onToggle={() => setForm(form ? undefined : 'new')} />
      }
    >
      {data && docs.length === 0 && !form && <p class="panel-none">None.</p>}
      {docs.length > 0 && (
        <ul class="side-group">
          {docs.map(({ slug, title, type, version }) => (
            <li key={slug} class="side-row">
              <Icon name="document" size={14} />
              <RecordLink url={getRecordUrl('document', slug)}>{title}</RecordLink>
              <span class="side-end muted">
                {type} v{version}
                {canWrite && (
                  <RemoveButton
                    label={`Detach ${slug}`}
                    onRemove={() => void runAction('docs.remove', { slug, task: taskId }, `Detached ${slug}`)}
                  />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {form && (
        <div class="segments form-segments" role="group" aria-label="Kind of document">
          <button type="button" aria-pressed={form === 'new'} onClick={() => setForm('new')}>
            New
          </button>
          <button type="button" aria-pressed={form === 'existing'} onClick={() => setForm('existing')}>
            Existing
          </button>
        </div>
      )}
      {form === 'new' && <NewDocumentForm taskId={taskId} onDone={() => setForm(undefined)} />}
      {form === 'existing' && <AttachForm taskId={taskId} onDone={() => setForm(undefined)} />}
    </Panel>
  );
}

function NewDocumentForm({ taskId, onDone }: { taskId: string; onDone: () => void }) {
  const [title, setTitle] = useState('');
  const [type, setType] = useState('note');
  const [content, setContent] = useState('');
  const types = useQuery('docs.list-types', {}).data?.types ?? [];
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const params = { taskId, title: title.trim(), type, content: content.endsWith('\n') ? content : `${content}\n` };
    if (await runAction('docs.add', params, ({ doc }) => `Stored ${doc.slug}`)) onDone();
  };
  return (
    <form class="panel-form" onSubmit={submit}>
      <input
        class="field"
        aria-label="Title of the document"
        placeholder="Title"
        maxLength={200}
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value)}
      />
      <select class="field" aria-label="Type of the document" value={type} onChange={(event) => setType(event.currentTarget.value)}>
        {(types.length > 0 ? types.map(({ name }) => name) : [type]).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <textarea
        class="field"
        aria-label="Content of the document"
        placeholder="Content (Markdown)"
        rows={6}
        value={content}
        onInput={(event) => setContent(event.currentTarget.value)}
      />
      <div class="dialog-actions">
        <button type="submit" class="button" disabled={title.trim() === '' || content.trim() === ''}>
          Store
        </button>
      </div>
    </form>
  );
}

function AttachForm({ taskId, onDone }: { taskId: string; onDone: () => void }) {
  const [slug, setSlug] = useState('');
  const term = slug.trim();
  const found = useQuery('docs.list', { limit: maxSuggestions, ...(term ? { term } : {}) }).data?.docs ?? [];
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await runAction('docs.add', { taskId, slug: term }, `Attached ${term}`)) onDone();
  };
  return (
    <form class="panel-form" onSubmit={submit}>
      <input
        class="field"
        aria-label="Slug of the document"
        placeholder="Slug, or words of the title"
        list="attach-documents"
        autocomplete="off"
        value={slug}
        onInput={(event) => setSlug(event.currentTarget.value)}
      />
      <datalist id="attach-documents">
        {found.map((doc) => (
          <option key={doc.slug} value={doc.slug}>
            {doc.title}
          </option>
        ))}
      </datalist>
      <div class="dialog-actions">
        <button type="submit" class="button" disabled={term === ''}>
          Attach
        </button>
      </div>
    </form>
  );
}
