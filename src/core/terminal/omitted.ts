import { toRecords } from './cell.ts';
import { toOneLine } from './text.ts';
import type { Form } from './view.ts';

/** Lists what a token budget left out, and the commands that print it. These are never cut or wrapped, so that they can be copied. */
export const drawOmitted: Form = (value, screen) => [
  screen.paint('bold', '## Left out'),
  ...toRecords(value).map(({ section, count, expand }) => `- ${toOneLine(`${count} ${section}`)}: ${toOneLine(String(expand))}`),
];
