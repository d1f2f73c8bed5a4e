import { useState } from 'preact/hooks';
import { CopyCommand } from '../components/copy-command.tsx';
import { connection } from '../state/connection.ts';
import { credentials, storeToken } from '../state/credentials.ts';
import { useStore } from '../state/store.ts';

/** Asks for the token of a server that requires one. */
export function TokenPrompt() {
  const [text, setText] = useState('');
  const isRejected = useStore(credentials, (value) => value.isRejected === true);
  return (
    <main class="token-prompt">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!text.trim()) return;
          // What the page read with another token must not be shown with this one.
          const hasRead = connection.get().identity !== undefined;
          storeToken(text.trim());
          if (hasRead) location.reload();
        }}
      >
        <img src="/icon.svg" width="32" height="32" alt="" />
        <h1>This server needs a token</h1>
        <p class="muted">
          It is stored until this tab is closed, and shows what its scope allows. A person with administration rights creates one with
        </p>
        <CopyCommand command="cleo token create --name me --scope mutate" />
        {isRejected && (
          <p class="token-rejected" role="alert">
            The server does not accept that token.
          </p>
        )}
        <label class="field-label">
          Token
          <input
            class="field mono"
            type="password"
            autocomplete="off"
            placeholder="cleo_…"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary" disabled={!text.trim()}>
          Continue
        </button>
      </form>
    </main>
  );
}
