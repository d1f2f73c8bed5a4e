import { useMemo, useState } from 'preact/hooks';
import { type DiffLine, diffLines, toDiffHunks } from '#lib/line-diff.ts';

/** More rows delay the page; a button shows the rest. */
const maxRows = 1000;
const signs = { same: ' ', removed: '−', added: '+' };
const meanings = { same: '', removed: 'removed', added: 'added' };

/** The lines that two texts differ in, with the lines around them. */
export function DiffLines({ before, after, label }: { before: string; after: string; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const [limit, setLimit] = useState(maxRows);
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const hunks = useMemo(() => toDiffHunks(lines, isWhole ? lines.length : undefined), [lines, isWhole]);
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  if (added + removed === 0) return <p class="panel-none">Both versions have the same lines.</p>;
  let room = limit;
  return (
    <>
      <p class="diff-summary">
        <span class="added">+{added}</span> <span class="removed">−{removed}</span>
        <label>
          <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.currentTarget.checked)} /> unchanged lines
        </label>
      </p>
      <div class="diff" role="region" aria-label={label} tabIndex={0}>
        <table>
          <tbody>
            {hunks.map((hunk, i) => {
              if (room <= 0) return null;
              if ('skipped' in hunk)
                return (
                  <tr key={i} class="skipped">
                    <td colSpan={4}>{hunk.skipped} unchanged lines</td>
                  </tr>
                );
              const shown = hunk.lines.slice(0, room);
              room -= shown.length;
              return shown.map((line) => <DiffRow key={`${line.oldNumber}-${line.newNumber}`} line={line} />);
            })}
          </tbody>
        </table>
      </div>
      {room <= 0 && (
        <p class="panel-none">
          <button type="button" class="button small" onClick={() => setLimit(limit * 4)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

const DiffRow = ({ line: { kind, text, oldNumber, newNumber } }: { line: DiffLine }) => (
  <tr class={kind}>
    <td class="number">{oldNumber}</td>
    <td class="number">{newNumber}</td>
    <td class="sign">
      <span aria-hidden="true">{signs[kind]}</span>
      <span class="visually-hidden">{meanings[kind]}</span>
    </td>
    <td class="text">{text}</td>
  </tr>
);
