/** Characters that are not shown or that change how other text is shown: controls, bidi marks, zero-width characters, fillers,
 *  variation selectors, tag characters (U+E0000 to U+E03FF). People do not see them; models read them, terminals obey some of them. */
const controls = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const formats =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff';
const invisible = new RegExp(`[${controls}${formats}]|\\r(?!\\n)|\\udb40[\\udc00-\\udfff]`, 'g');
const hidden = new RegExp(`[${formats}]|\\udb40`);

/** Makes invisible characters visible, for text that people and models read. Tabs and line ends stay. So do the joiners of emoji and
 *  of scripts that need them, because text is not readable without them. */
export const escapeInvisible = (text: string): string =>
  text.replace(invisible, (character, at: number) => (isNeeded(text, character, at) ? character : toVisible(character)));

/** Escapes invisible characters in JSON text by the rules of JSON, so that the parsed value stays the same. */
export const escapeInvisibleInJson = (json: string): string =>
  json.replace(invisible, (character, at: number) =>
    isNeeded(json, character, at)
      ? character
      : Array.from({ length: character.length }, (_, i) => `\\u${toHex(character.charCodeAt(i))}`).join(''),
  );

/** Checks for invisible characters that hide or reorder text. Controls count only in the terminal. */
export function hasHiddenText(text: string): boolean {
  if (!hidden.test(text)) return false;
  const plain = text.replace(/\p{Cc}/gu, ' ');
  return escapeInvisible(plain) !== plain;
}

/** Formats a character: the symbol of a control, otherwise its code. */
export function toVisible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${toHex(code)}`;
}

const toHex = (code: number): string => code.toString(16).padStart(4, '0');

function isNeeded(text: string, character: string, at: number): boolean {
  if (character < '\u200c' || character > '\ufe0f') return false;
  const before = text.slice(Math.max(0, at - 2), at);
  if (character === '\ufe0e' || character === '\ufe0f') return /(?:\p{Extended_Pictographic}|[\d#*])$/u.test(before);
  if (character !== '\u200c' && character !== '\u200d') return false;
  const after = text.slice(at + 1, at + 3);
  if (joining.test(before.slice(-1)) && joining.test(after.slice(0, 1))) return true;
  return (
    character === '\u200d' &&
    /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** Letters of scripts that use joiners inside words: Arabic, Syriac, N'Ko, Indic scripts, Khmer, Mongolian. */
const joining = /[\u0620-\u074a\u0750-\u07ff\u0860-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3\u1820-\u18aa]/;
