import {
  drawIndented,
  drawRecords,
  type Fields,
  formatAge,
  isRecords,
  joinParts,
  type Screen,
  toListForm,
  toOneLine,
  type View,
} from '#core/terminal/index.ts';

export const documentView: View = {
  forms: {
    doc: drawDocument,
    docs: toListForm(drawDocuments),
  },
};

/** Draws one document: slug, title, versions, and the citations that are out of date. */
function drawDocument(fields: Fields, screen: Screen): string[] {
  const { slug, title, type, version, versions, size, tasks, file, stale } = fields;
  if (typeof slug !== 'string' || typeof title !== 'string' || version === undefined) return drawRecords([fields], screen);
  const { paint } = screen;
  const about = [
    type,
    `version ${version}${versions === undefined || versions === version ? '' : ` of ${versions}`}`,
    size === undefined ? '' : formatSize(Number(size)),
    Array.isArray(tasks) ? tasks.join(', ') : '',
    file,
  ];
  return [
    // Never cut, so that it can be copied.
    paint('cyan', toOneLine(slug)),
    ...drawIndented(title, screen).map((line) => paint('bold', line)),
    ...drawIndented(joinParts(about), screen).map((line) => paint('dim', line)),
    ...(isRecords(stale) ? stale.flatMap((cited) => drawIndented(formatStale(cited), screen).map((line) => paint('yellow', line))) : []),
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
