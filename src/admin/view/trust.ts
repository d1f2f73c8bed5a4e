import { drawRecords, type Fields, type Screen, toRecords, type View } from '#core/terminal/index.ts';

/** Draws one line for each item: its state, name, value and file. */
export const trustView: View = {
  forms: {
    trusted: (value, screen) => drawItems(value, screen),
    entries: (value, screen) => drawItems(value, screen),
    changed: (value, screen) => drawItems(value, screen),
  },
};

const drawItems = (value: unknown, screen: Screen): string[] => drawRecords(toRecords(value).map(toRow), screen);

/** Shortens hashes and leaves out the project folder, which is shown once below the list. */
function toRow({ state, name, value, before, file }: Fields): Fields {
  const isProgram = typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  return {
    state,
    name,
    value: formatValue(value),
    ...(before === undefined ? {} : { before: formatValue(before) }),
    file: isProgram ? name : formatPlace(String(file)),
  };
}

/** A setting that is in no file is in the store. */
const formatPlace = (file: string): string => (/[/\\]/.test(file) ? `.cleo/${file.split(/[/\\]/).at(-1)}` : file);

const formatValue = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1…') : JSON.stringify(value ?? null);
