import { useState } from 'preact/hooks';
import { toCallFailure } from '../api/call-failure.ts';
import { CopyCommand } from '../components/copy-command.tsx';
import { Dialog } from '../components/dialog.tsx';
import { type ProofRequest, proofRequest } from '../state/actions.ts';
import { useStore } from '../state/store.ts';

/** Asks a person to prove to be one: with the passphrase, or by running a command at a terminal. */
export function ProofDialog() {
  const request = useStore(proofRequest);
  if (!request) return null;
  return (
    <Dialog title={request.title} onClose={request.cancel}>
      <p class="text">{request.failure.message}</p>
      {request.retry ? <PassphraseForm retry={request.retry} /> : <TerminalCommand request={request} />}
    </Dialog>
  );
}

function TerminalCommand({ request }: { request: ProofRequest }) {
  const { command } = request.failure.details;
  return (
    <>
      <p>Run this at a terminal. The page shows the result as soon as it is done.</p>
      <CopyCommand command={typeof command === 'string' ? command : (request.failure.fix ?? '')} />
    </>
  );
}

function PassphraseForm({ retry }: { retry: (passphrase: string) => Promise<void> }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setProblem('');
    await retry(text).catch((error: unknown) => setProblem(toCallFailure(error).message));
    setText('');
  };
  return (
    <form class="dialog-form" onSubmit={submit}>
      <label class="field-label">
        Passphrase
        <input
          class="field"
          type="password"
          autocomplete="off"
          autofocus
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {problem && (
          <span class="hint" role="alert">
            {problem}
          </span>
        )}
      </label>
      <div class="dialog-actions">
        <button type="submit" class="button primary" disabled={text === ''}>
          Confirm
        </button>
      </div>
    </form>
  );
}
