import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const copiedMs = 1500;

/** A command to run at a terminal, with a button that copies it. */
export function CopyCommand({ command }: { command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(command).catch(() => {});
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <span class="copy-command">
      <code class="text">{command}</code>
      <button type="button" class="button quiet small icon-only" aria-label={`Copy ${command}`} onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
      <span class="visually-hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </span>
  );
}
