import { type Fields, formatAge, isRecords, toRecords } from '#core/terminal/cell.ts';
import { drawRecords } from '#core/terminal/record.ts';
import type { Screen } from '#core/terminal/screen.ts';
import { toOneLine, wrap } from '#core/terminal/text.ts';
import type { View } from '#core/terminal/view.ts';

export const documentView: View = {
  forms: {
    doc: (value, screen) => drawDocument(value as Fields, screen),
    docs: (value, screen) => drawDocuments(toRecords(value), screen),
  },
};

/** Draws one document: slug, title, versions, and the citations that are out of date. */
function drawDocument(fields: Fields, screen: Screen): string[] {
  const { slug, title, type, version, versions, size, tasks, file, stale } = fields;
  if (typeof slug !== 'string' || typeof title !== 'string' || version === undefined) return drawRecords([fields], screen);
  const { paint, columns } = screen;
  const drawIndented = (text: string): string[] => wrap(toOneLine(text), columns - 2).map((line) => `  ${line}`);
  const about = [
    type,
    `version ${version}${versions === undefined || versions === version ? '' : ` of ${versions}`}`,
    size === undefined ? '' : formatSize(Number(size)),
    Array.isArray(tasks) ? tasks.join(', ') : '',
    file,
  ].filter((part) => part !== undefined && part !== '');
  return [
    // Never cut, so that it can be copied.
    paint('cyan', toOneLine(slug)),
    ...drawIndented(title).map((line) => paint('bold', line)),
    ...drawIndented(about.join(' · ')).map((line) => paint('dim', line)),
    ...(isRecords(stale) ? stale.flatMap((cited) => drawIndented(formatStale(cited)).map((line) => paint('yellow', line))) : []),
  ];
}

const formatStale = ({ id, supersededBy }: Fields): string =>
  `cites ${id}, which was superseded${supersededBy ? ` by ${supersededBy}` : ''}`;

/** Draws a row for each document, without sizes: `--json` and `--fields` print those. */
function drawDocuments(items: Fields[], screen: Screen): string[] {
  const isWhole = items.every(({ slug, version, updatedAt }) => slug !== undefined && version !== undefined && updatedAt !== undefined);
  return drawRecords(
    isWhole ? items.map(({ size: _, updatedAt, ...item }) => ({ ...item, updated: formatAge(updatedAt, screen.now) })) : items,
    screen,
  );
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}
