import { useState } from 'preact/hooks';
import { createStore, useStore } from '../state/store.ts';
import { Dialog } from './dialog.tsx';

/** A question with one text as the answer, such as a reason. */
export interface Question {
  title: string;
  /** Without a label there is no text to enter: the question is only confirmed. */
  label?: string;
  hint?: string;
  initial?: string;
  confirm: string;
  isLong?: boolean;
  isOptional?: boolean;
  isDanger?: boolean;
  suggestions?: string[];
}

const openQuestion = createStore<(Question & { answer: (text: string | undefined) => void }) | undefined>(undefined);

/** Asks a person; undefined if the dialog is closed without an answer. */
export function ask(question: Question): Promise<string | undefined> {
  return new Promise((resolve) => {
    openQuestion.get()?.answer(undefined);
    openQuestion.set({
      ...question,
      answer(text) {
        openQuestion.set(undefined);
        resolve(text);
      },
    });
  });
}

/** Shows the open question. The shell contains it once. */
export function AskDialog() {
  const question = useStore(openQuestion);
  return question ? <QuestionForm key={question.title} {...question} /> : null;
}

function QuestionForm({
  title,
  label,
  hint,
  initial = '',
  confirm,
  isLong,
  isOptional,
  isDanger,
  suggestions,
  answer,
}: Question & { answer: (text: string | undefined) => void }) {
  const [text, setText] = useState(initial);
  const isReady = isOptional || label === undefined || text.trim() !== '';
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady) answer(text.trim());
  };
  const field = {
    class: 'field',
    value: text,
    autofocus: true,
    onInput: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
  };
  return (
    <Dialog title={title} onClose={() => answer(undefined)}>
      <form class="dialog-form" onSubmit={submit}>
        {label === undefined ? (
          <p class="text">{hint}</p>
        ) : (
          <label class="field-label">
            {label}
            {isLong ? (
              <textarea
                {...field}
                rows={5}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
                }}
              />
            ) : (
              <input {...field} list={suggestions ? 'ask-suggestions' : undefined} autocomplete="off" />
            )}
            {hint && <span class="hint">{hint}</span>}
          </label>
        )}
        {suggestions && (
          <datalist id="ask-suggestions">
            {suggestions.map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => answer(undefined)}>
            Cancel
          </button>
          <button type="submit" class={`button ${isDanger ? 'danger' : 'primary'}`} disabled={!isReady} autofocus={label === undefined}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
