import { ageOf, type Fields, isFields, isRecords } from './cell.ts';
import { records } from './record.ts';
import type { Screen } from './screen.ts';
import { oneLine, wrap } from './text.ts';

/** One document: by which name it is fetched, what it is about, how often it was written, and what of the things it cites is out of date. */
export function doc(value: unknown, screen: Screen): string[] {
  if (!isFields(value)) return [];
  const { slug, title, type, version, versions, size, tasks, file, stale } = value;
  if (typeof slug !== 'string' || typeof title !== 'string' || version === undefined) return records([value], screen);
  const { paint, columns } = screen;
  const under = (text: string): string[] => wrap(oneLine(text), columns - 2).map((line) => `  ${line}`);
  const about = [
    type,
    `version ${version}${versions === undefined || versions === version ? '' : ` of ${versions}`}`,
    size === undefined ? '' : sizeOf(Number(size)),
    Array.isArray(tasks) ? tasks.join(', ') : '',
    file,
  ].filter((part) => part !== undefined && part !== '');
  return [
    // Never cut: it is there to be copied.
    paint('cyan', oneLine(slug)),
    ...under(title).map((line) => paint('bold', line)),
    ...under(about.join(' · ')).map((line) => paint('dim', line)),
    ...(isRecords(stale) ? stale.flatMap((cited) => under(staleText(cited)).map((line) => paint('yellow', line))) : []),
  ];
}

const staleText = ({ id, supersededBy }: Fields): string => `cites ${id}, which was superseded${supersededBy ? ` by ${supersededBy}` : ''}`;

/** Many of them, a row each; how long they are is for `--json`, or for `--fields` that ask for it. */
export function docs(items: Fields[], screen: Screen): string[] {
  const isWhole = items.every(({ slug, version, updatedAt }) => slug !== undefined && version !== undefined && updatedAt !== undefined);
  return records(
    isWhole ? items.map(({ size: _, updatedAt, ...item }) => ({ ...item, updated: ageOf(updatedAt, screen.now) })) : items,
    screen,
  );
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}
