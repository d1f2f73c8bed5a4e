/** Matches a secret as it is escaped in JSON (also nested), URLs, forms, HTML and shell quotes. Undefined if none of them escapes it. */
export function createSpellingPattern(secret: string): RegExp | undefined {
  if (/^[A-Za-z0-9_.~-]*$/.test(secret)) return undefined;
  // A run of backslashes is one piece. One quantifier for each would make matching exponential.
  const pieces = secret.match(/\\+|[A-Za-z0-9]+|[\s\S]/gu) ?? [];
  return new RegExp(pieces.map(toPattern).join(''), 'g');
}

/** Checks whether a text contains escape characters at all. */
export const mayBeEscaped = (text: string): boolean => /[\\%&+']/.test(text);

const escapes: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": "&apos;|'\\\\''",
  ' ': '\\+|&nbsp;',
};
/** Each level of JSON doubles the backslashes; this allows five levels. */
const maxBackslashes = 31;

function toPattern(piece: string): string {
  if (/^[A-Za-z0-9]+$/.test(piece)) return piece;
  if (piece.startsWith('\\')) return `(?:\\\\{${piece.length},${piece.length * (maxBackslashes + 1)}}|(?:${toPercentPattern(piece)}))`;
  const code = piece.codePointAt(0)!;
  const units = Array.from(
    { length: piece.length },
    (_, i) => `\\\\{1,${maxBackslashes}}u${toAnyCase(piece.charCodeAt(i).toString(16).padStart(4, '0'))}`,
  );
  return `(?:${[
    `\\\\{0,${maxBackslashes}}${escapeRegExp(piece)}`,
    toPercentPattern(piece),
    units.join(''),
    `&#(?:0*${code}|[xX]0*${toAnyCase(code.toString(16))});`,
    ...(escapes[piece] ? [`\\\\{1,${maxBackslashes}}${escapes[piece]}`] : []),
    ...(entities[piece] ? [entities[piece]] : []),
  ].join('|')})`;
}

/** Matches percent-encoding that was applied up to four times. */
const toPercentPattern = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%(?:25){0,3}${toAnyCase(byte.toString(16).padStart(2, '0'))}`).join('');
const toAnyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
