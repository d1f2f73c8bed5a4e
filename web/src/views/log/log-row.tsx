import { Icon } from '../../components/icon.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { toRecordUrl } from './record-url.ts';
import type { LogEntry } from './use-log.ts';

const maxIds = 4;

/** One entry of the log on one line: number, outcome, operation, agent, changed records, time. */
export function LogRow({ entry, isCursor, isBroken, onOpen }: LogRowProps) {
  const { seq, timestamp, operation, agent, success, errorCode, gateway } = entry;
  return (
    <div class={`log-row ${isCursor ? 'cursor' : ''} ${isBroken ? 'broken' : ''}`} data-seq={seq}>
      <span class="log-seq">{seq}</span>
      <LogOutcome success={success} />
      <button type="button" class="log-operation line" title={`Open entry ${seq}`} onClick={() => onOpen(seq)}>
        {operation}
      </button>
      {!success && <span class="log-error line">{errorCode}</span>}
      <ChangedIds entry={entry} />
      <span class="log-end">
        <span class="line log-agent" title={`${agent} through ${gateway}`}>
          {agent}
        </span>
        <TimeAgo time={timestamp} />
      </span>
    </div>
  );
}

interface LogRowProps {
  entry: LogEntry;
  isCursor: boolean;
  /** The chain is broken at this entry. */
  isBroken: boolean;
  onOpen: (seq: number) => void;
}

export const LogOutcome = ({ success }: { success: boolean }) => (
  <span class={`log-outcome ${success ? 'success' : 'failed'}`} title={success ? 'succeeded' : 'failed'}>
    <Icon name={success ? 'check' : 'close'} size={14} />
    <span class="visually-hidden">{success ? 'succeeded' : 'failed'}</span>
  </span>
);

/** The records that an entry created, changed or deleted, each by a sign and its id. */
function ChangedIds({ entry: { created = [], updated = [], deleted = [] } }: { entry: LogEntry }) {
  const all = [
    ...created.map((id) => ({ id, sign: '+', about: 'created' })),
    ...updated.map((id) => ({ id, sign: '', about: 'changed' })),
    ...deleted.map((id) => ({ id, sign: '−', about: 'deleted' })),
  ];
  if (all.length === 0) return null;
  return (
    <span class="log-ids line">
      {all.slice(0, maxIds).map(({ id, sign, about }) => (
        <RecordId key={sign + id} id={id} sign={sign} about={about} />
      ))}
      {all.length > maxIds && <span class="muted">and {all.length - maxIds} more</span>}
    </span>
  );
}

export function RecordId({ id, sign = '', about }: { id: string; sign?: string; about?: string }) {
  const url = toRecordUrl(id);
  const content = (
    <>
      <span aria-hidden="true">{sign}</span>
      {id}
    </>
  );
  return url ? (
    <a class="task-id" href={url} title={about && `${about} ${id}`}>
      {content}
    </a>
  ) : (
    <span class="task-id" title={about && `${about} ${id}`}>
      {content}
    </span>
  );
}
