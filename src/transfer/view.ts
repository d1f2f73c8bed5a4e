import { type Screen, toOneLine, toRecords, type View, wrap } from '#core/terminal/index.ts';

/** The counts of an import come before its losses. */
export const importView: View = { forms: { ids: drawIds }, valuesFirst: true };

const maxIds = 12;

/** Draws the first ids of an import in a line; `cleo imported` lists them all. */
function drawIds(value: unknown, screen: Screen): string[] {
  const ids = toRecords(value);
  const shown = ids.slice(0, maxIds).map(({ id, taskId }) => `${toOneLine(String(id))} → ${taskId}`);
  return wrap([...shown, ...(ids.length > maxIds ? ['… cleo imported'] : [])].join(', '), screen.columns);
}
