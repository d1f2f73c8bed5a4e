import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import type { QueryState } from '../../state/use-query.ts';

/** The sequence number of the first broken entry, as the error of the verification names it. */
export function getBrokenSeq({ failure }: QueryState<'admin.audit.verify'>): number | undefined {
  return typeof failure?.details.seq === 'number' ? failure.details.seq : undefined;
}

/** The outcome of verifying the log: intact with its proof, or the first broken entry. */
export function ChainStatus({ verified, onOpen }: { verified: QueryState<'admin.audit.verify'>; onOpen: (seq: number) => void }) {
  const { data, failure, isLoading, reload } = verified;
  const brokenSeq = getBrokenSeq(verified);
  const chain = failure ? undefined : data?.chain;
  return (
    <section class={`chain-status ${failure ? 'broken' : ''}`} aria-label="Chain of the log" aria-live="polite">
      <Icon name={failure ? 'warning' : chain ? 'check' : 'clock'} />
      <span class="text">
        {failure?.message}
        {chain && (
          <>
            The chain of {chain.entries.toLocaleString()} {chain.entries === 1 ? 'entry' : 'entries'} is intact, {chain.level}
            {chain.signed && (
              <>
                : 1 to {chain.signed.entries.toLocaleString()} signed by {chain.signed.signer} <TimeAgo time={chain.signed.at} />
              </>
            )}
            .{' '}
            <code class="muted" title={`Head ${chain.head}`}>
              {chain.head.slice(0, 12)}
            </code>
          </>
        )}
        {!chain && !failure && 'Verifying the chain…'}
      </span>
      {failure?.fix && <CopyCommand command={failure.fix} />}
      {brokenSeq !== undefined && (
        <button type="button" class="button small" onClick={() => onOpen(brokenSeq)}>
          Open entry {brokenSeq}
        </button>
      )}
      <button type="button" class="button small" disabled={isLoading} onClick={reload}>
        Verify
      </button>
    </section>
  );
}
