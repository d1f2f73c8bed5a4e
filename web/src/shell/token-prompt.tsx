import { useState } from 'preact/hooks';
import { CopyCommand } from '../components/copy-command.tsx';
import { storeToken } from '../state/credentials.ts';

/** Asks for the token of a server that requires one. */
export function TokenPrompt() {
  const [text, setText] = useState('');
  return (
    <main class="token-prompt">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) storeToken(text.trim());
        }}
      >
        <img src="/icon.svg" width="32" height="32" alt="" />
        <h1>This server needs a token</h1>
        <p class="muted">
          It is stored until this tab is closed, and shows what its scope allows. A person with administration rights creates one with
        </p>
        <CopyCommand command="cleo token create --name me --scope mutate" />
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
