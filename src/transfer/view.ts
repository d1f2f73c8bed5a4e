import { drawRecords, narrowScreen, type Screen, toOneLine, toRecords, type View, wrap } from '#core/terminal/index.ts';

/** The counts of an import come before its losses, which are shown by kind. */
export const importView: View = {
  forms: { ids: drawIds, lossGroups: drawLossGroups },
  titledKeys: ['lossGroups'],
  hiddenKeys: ['losses', 'lossCount'],
  valuesFirst: true,
};

/** Draws one line per kind of loss, with examples. */
function drawLossGroups(value: unknown, screen: Screen): string[] {
  const rows = toRecords(value).map(({ count, field, why, examples }) => ({
    count,
    field,
    why,
    examples: `${(examples as string[]).join(', ')}${Number(count) > (examples as string[]).length ? ', …' : ''}`,
  }));
  const inner = narrowScreen(screen, 2);
  return [screen.paint('bold', 'losses'), ...drawRecords(rows, inner).map((line) => `  ${line}`.trimEnd())];
}

const maxIds = 12;

/** Draws the first ids of an import in a line; `cleo imported` lists them all. */
function drawIds(value: unknown, screen: Screen): string[] {
  const ids = toRecords(value);
  const shown = ids.slice(0, maxIds).map(({ id, taskId }) => `${toOneLine(String(id))} → ${taskId}`);
  return wrap([...shown, ...(ids.length > maxIds ? ['… cleo imported'] : [])].join(', '), screen.columns);
}
