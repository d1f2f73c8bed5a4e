import { useEffect, useState } from 'preact/hooks';
import { parseTaskId } from '#core/model/scalars.ts';
import { FilterSelect } from '../../components/filter.tsx';
import { useParam } from '../../router.ts';
import type { LogEntry, LogQuery } from './use-log.ts';

const sinceChoices: [string, string][] = [
  ['1h', 'last hour'],
  ['24h', 'last day'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
];

/** Reads the filters of the address. Values that the operation would not accept are left out. */
export function useLogQuery(): LogQuery {
  const [operation] = useParam('operation');
  const [agent] = useParam('agent');
  const [session] = useParam('session');
  const [taskText] = useParam('task');
  const [outcome] = useParam('outcome');
  const [sinceText] = useParam('since');
  const [untilText] = useParam('until');
  const task = parseTaskId(taskText);
  const since = /^\d{1,5}[mhdw]$/.test(sinceText) ? sinceText : toTime(sinceText);
  const until = toTime(untilText, 1);
  return {
    ...(operation ? { operation } : {}),
    ...(agent ? { agent } : {}),
    ...(session ? { session } : {}),
    ...(task ? { task } : {}),
    ...(outcome === 'failed' ? { failed: true } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  };
}

/** Converts a day of the reader's zone to a time in UTC. The last day counts whole. */
function toTime(day: string, addedDays = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  if (!year || !month || !date) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + addedDays).toISOString();
}

/** The filters of the log. Suggestions are the names of the entries that were read. */
export function LogFilters({ entries }: { entries: LogEntry[] }) {
  const [outcome, setOutcome] = useParam('outcome');
  const [since, setSince] = useParam('since');
  return (
    <>
      <LogField name="operation" label="Operation" values={[...new Set(entries.map(({ operation }) => operation))]} />
      <LogField name="agent" label="Agent" values={[...new Set(entries.map(({ agent }) => agent))]} />
      <LogField name="task" label="Task" check={(text) => parseTaskId(text) !== undefined} />
      <FilterSelect label="Outcome" value={outcome} onChange={setOutcome} choices={[['failed', 'failed']]} />
      <FilterSelect label="Since" value={since} onChange={setSince} choices={sinceChoices} />
      <LogField name="until" label="Until" type="date" />
    </>
  );
}

interface LogFieldProps {
  /** The name of the filter in the address. */
  name: string;
  label: string;
  type?: string;
  values?: string[];
  check?: (text: string) => boolean;
}

/** A filter whose whole value counts: it applies when Enter is pressed or the field is left, not while it is typed. */
function LogField({ name, label, type = 'text', values, check }: LogFieldProps) {
  const [value, setValue] = useParam(name);
  // The typed text is held here, because new entries draw the filters again.
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const isInvalid = value !== '' && check?.(value) === false;
  return (
    <label class={`filter-select log-field ${value ? 'set' : ''} ${isInvalid ? 'invalid' : ''}`}>
      <span>{label}</span>
      <input
        id={`log-${name}`}
        type={type}
        value={text}
        placeholder="all"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={isInvalid}
        title={isInvalid ? `${value} is not an id of a task` : undefined}
        list={values ? `log-${name}-values` : undefined}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => setValue(event.currentTarget.value.trim())}
        onKeyDown={(event) => {
          if (event.key === 'Enter') setValue(event.currentTarget.value.trim());
          if (event.key !== 'Escape') return;
          // Leaving the field must not apply the text again.
          event.currentTarget.value = '';
          setText('');
          setValue('');
          event.currentTarget.blur();
        }}
      />
      {values && (
        <datalist id={`log-${name}-values`}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  );
}
