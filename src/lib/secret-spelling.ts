/** A secret as others write it down: in JSON within JSON, in addresses and forms, in HTML, between the quotes of a shell. Undefined where
 *  all of them write it as it is. */
export function spellingOf(secret: string): RegExp | undefined {
  if (/^[A-Za-z0-9_.~-]*$/.test(secret)) return undefined;
  // Backslashes in a row are one piece: each with a number of its own, there were too many ways to share them out.
  const pieces = secret.match(/\\+|[A-Za-z0-9]+|[\s\S]/gu) ?? [];
  return new RegExp(pieces.map(pieceOf).join(''), 'g');
}

/** Whether a text holds anything that is written otherwise than it is. */
export const hasSpellings = (text: string): boolean => /[\\%&+']/.test(text);

const escapes: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": "&apos;|'\\\\''",
  ' ': '\\+|&nbsp;',
};
/** Each level of JSON doubles them. */
const deepest = 31;

function pieceOf(piece: string): string {
  if (/^[A-Za-z0-9]+$/.test(piece)) return piece;
  if (piece.startsWith('\\')) return `(?:\\\\{${piece.length},${piece.length * (deepest + 1)}}|(?:${percent(piece)}))`;
  const code = piece.codePointAt(0)!;
  const units = Array.from(
    { length: piece.length },
    (_, i) => `\\\\{1,${deepest}}u${anyCase(piece.charCodeAt(i).toString(16).padStart(4, '0'))}`,
  );
  return `(?:${[
    `\\\\{0,${deepest}}${escaped(piece)}`,
    percent(piece),
    units.join(''),
    `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
    ...(escapes[piece] ? [`\\\\{1,${deepest}}${escapes[piece]}`] : []),
    ...(entities[piece] ? [entities[piece]] : []),
  ].join('|')})`;
}

/** Once, or again and again. */
const percent = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%(?:25){0,3}${anyCase(byte.toString(16).padStart(2, '0'))}`).join('');
const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
