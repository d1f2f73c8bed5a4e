import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** Counts the columns of a text in any script. */
export const measureText = (text: string): number => stringWidth(text);

/** Splits a text into grapheme clusters. */
export const splitText = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);
