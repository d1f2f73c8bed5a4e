import { drawFields, drawRecords, type Fields, type Screen, toRecords, type View } from '#core/terminal/index.ts';

/** Draws the two places in one line each. */
export const storeMigrateView: View = {
  forms: {
    from: (place: Fields, screen) => drawPlace('from', place, screen),
    to: (place: Fields, screen) => drawPlace('to', place, screen),
    // Digests are for scripts, and empty tables say nothing.
    tables: (value, screen) =>
      drawRecords(
        toRecords(value)
          .filter(({ rows }) => rows !== 0)
          .map(({ table, rows }) => ({ table, rows })),
        screen,
      ),
  },
  titledKeys: ['from', 'to'],
  valuesFirst: true,
};

const drawPlace = (label: string, { engine, place }: Fields, screen: Screen): string[] =>
  drawFields({ [label]: `${engine}, ${place}` }, screen);
