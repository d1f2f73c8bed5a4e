import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** Columns that a text of any script takes. */
export const anyWidth = (text: string): number => stringWidth(text);

/** The characters as people count them. */
export const anyGraphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);
