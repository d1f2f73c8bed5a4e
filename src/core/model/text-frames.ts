import type { TextParts } from './server-connection.ts';

/** The content type of a request with long texts: a line of JSON, then the texts one after the other. Each text is a sequence of frames, which
 *  are a length of four bytes and that many bytes of UTF-8, and ends with a frame of length 0. */
export const framedCallType = 'application/vnd.cleo.call';

/** The path to a text inside the parameters of a call, such as `['content', 0, 'text']`. */
export type TextPath = (string | number)[];

const isTextParts = (value: unknown): value is TextParts =>
  typeof value === 'object' && value !== null && typeof (value as TextParts).chunks === 'function';

/** Finds the texts in parameters that are sent in parts. */
export function findLongTexts(params: unknown, path: TextPath = []): { path: TextPath; text: TextParts }[] {
  if (isTextParts(params)) return [{ path, text: params }];
  if (Array.isArray(params)) return params.flatMap((value, i) => findLongTexts(value, [...path, i]));
  if (typeof params !== 'object' || params === null) return [];
  return Object.entries(params).flatMap(([key, value]) => findLongTexts(value, [...path, key]));
}

/** Puts a text where the path leads. Returns false if it leads nowhere. */
export function placeText(params: unknown, path: unknown, text: TextParts): boolean {
  if (!Array.isArray(path) || path.length === 0) return false;
  let place = params;
  for (const key of path.slice(0, -1)) place = getOwn(place, key);
  const last = path.at(-1) as string;
  if (getOwn(place, last) === undefined) return false;
  (place as Record<string, unknown>)[last] = text;
  return true;
}

const getOwn = (value: unknown, key: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key as string)
    ? (value as Record<string, unknown>)[key as string]
    : undefined;
