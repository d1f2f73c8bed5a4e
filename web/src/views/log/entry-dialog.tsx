import { Dialog } from '../../components/dialog.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { ErrorNote, LoadingLines } from '../../components/states.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { getRecordUrl } from '../../routes.ts';
import { useQuery } from '../../state/use-query.ts';
import { LogOutcome, RecordId } from './log-row.tsx';
import type { LogEntry } from './use-log.ts';

/** All of one entry: parameters, caller, and the records it changed. Secrets were redacted when it was written. */
export function EntryDialog({ seq, onClose }: { seq: number; onClose: () => void }) {
  const { data, failure } = useQuery('admin.log', { before: seq + 1, limit: 1 }, { isAffected: () => false });
  const entry = data?.entries.find((each) => each.seq === seq);
  return (
    <Dialog title={`Entry ${seq}`} onClose={onClose} className="log-dialog">
      {failure && <ErrorNote failure={failure} />}
      {!data && !failure && <LoadingLines count={4} />}
      {data && !entry && <p class="muted">The log has no entry {seq}.</p>}
      {entry && <EntryFacts entry={entry} />}
    </Dialog>
  );
}

function EntryFacts({ entry }: { entry: LogEntry }) {
  const { session, created = [], updated = [], deleted = [] } = entry;
  const sessionUrl = session && getRecordUrl('session', session);
  return (
    <>
      <Facts>
        <Fact name="Operation">
          <code>{entry.operation}</code>
        </Fact>
        <Fact name="LogOutcome">
          <LogOutcome success={entry.success} />
          {entry.success ? 'succeeded' : `${entry.errorCode ?? 'failed'}${entry.exitCode ? `, exit code ${entry.exitCode}` : ''}`}
        </Fact>
        <Fact name="Time">
          <TimeAgo time={entry.timestamp} isDate />
          <span class="muted"> {entry.timestamp} UTC</span>
        </Fact>
        <Fact name="Agent">{entry.agent}</Fact>
        {session && <Fact name="Session">{sessionUrl ? <a href={sessionUrl}>{session}</a> : session}</Fact>}
        <Fact name="Through">
          {entry.gateway}, {entry.durationMs} ms
        </Fact>
        <IdFact name="Created" ids={created} />
        <IdFact name="Changed" ids={updated} />
        <IdFact name="Deleted" ids={deleted} />
      </Facts>
      <JsonText title="Parameters" value={entry.params} />
      <JsonText title="Caller" value={entry.principal} />
    </>
  );
}

const maxIds = 100;

const IdFact = ({ name, ids }: { name: string; ids: string[] }) =>
  ids.length === 0 ? null : (
    <Fact name={name}>
      {ids.slice(0, maxIds).map((id) => (
        <RecordId key={id} id={id} />
      ))}
      {ids.length > maxIds && `and ${ids.length - maxIds} more`}
    </Fact>
  );

const JsonText = ({ title, value }: { title: string; value: unknown }) =>
  value === undefined ? null : (
    <section class="log-json">
      <h3>{title}</h3>
      <pre class="text" tabIndex={0}>
        {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
      </pre>
    </section>
  );
