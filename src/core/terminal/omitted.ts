import { toOneLine } from './text.ts';
import { toListForm } from './view.ts';

/** Lists what a token budget left out, and the commands that print it. These are never cut or wrapped, so that they can be copied. */
export const drawOmitted = toListForm((items, screen) => [
  screen.paint('bold', '## Left out'),
  ...items.map(({ section, count, expand }) => `- ${toOneLine(`${count} ${section}`)}: ${toOneLine(String(expand))}`),
]);
