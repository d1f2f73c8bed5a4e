import { drawIndented, type Fields, type View } from '#core/terminal/index.ts';

export const undoView: View = {
  forms: {
    undone: ({ summary, entry }: Fields, screen) =>
      summary === undefined
        ? ['There is no write of yours in the last hour to take back.']
        : drawIndented(`${summary} (entry ${entry} of the log)`, screen, 0),
  },
};
