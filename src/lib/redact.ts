import { secretShape, wordStart } from './secrets.ts';
import { sha256 } from './sha256.ts';

const hidden = '[redacted]';

/** What stands in the place of a secret, by the way it was told. */
export type Hide = (rule: 'url' | 'shape' | 'named' | 'encoded' | 'header', secret: string) => string;
const plainly: Hide = () => hidden;

let urlPattern: RegExp | undefined;
function urlPassword(): RegExp {
  urlPattern ??= new RegExp(`${wordStart}([a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s:/?#@"'<>]*):([^\\s/?#"'<>]+)@`, 'gi');
  return urlPattern;
}
const words =
  'password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?key|account[_-]?key';
let namedPattern: RegExp | undefined;
function named(): RegExp {
  namedPattern ??= new RegExp(
    `((?:--|${wordStart})(?:[A-Za-z0-9]+[_-]){0,6}(?:[a-z]+(?=[A-Z]))?(?:${words})\\\\{0,9}["'\`]?)(\\s*(?:[=:]|=>|:=)\\s*|(?<=--[\\w-]{0,60})\\s+)(\\\\{0,9}["'\`]|)((?<=["'\`])[^"'\`\\n]{3,}?[^"'\`\\n\\\\](?=\\\\*["'\`])|[^\\s"'\`,;&)\\]}]{4,})`,
    'gi',
  );
  return namedPattern;
}
/** What ends a colour on a terminal, as it is sent and as JSON writes it, and everything behind it. */
const colour = /(?:\x1b|\\(?:u001b|x1b|033|e))\[[\s\S]*$/;
/** Long enough to hold a secret when it is decoded. */
const encoded = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** A text without the secrets in it. `isKnown` tells whether there is one in what was encoded, where shapes alone do not tell. */
export function redactText(text: string, hide: Hide = plainly, isKnown?: (decoded: string) => boolean): string {
  // A hash, an id or a time is none of it, and most of what is written is one.
  if (/^[0-9a-fTZ:.-]*$/.test(text)) return text;
  const clean = hideShapes(text, hide);
  return long.test(clean) ? clean.replace(encoded, (run) => (holdsSecret(run, isKnown) ? hide('encoded', run) : run)) : clean;
}

// Most texts are a few words. Compiling the big patterns for them would cost a write more than the rest of its log entry.
const long = /\S{15}|-----BEGIN/;
const telling = /pass|pwd|secret|token|key/i;
/** What stands between a name and its value; a text without any names none. */
export const separator = /[=:\s<]/;

function hideShapes(text: string, hide: Hide): string {
  let clean = text;
  if (clean.includes('://'))
    clean = clean.replace(urlPassword(), (_, before: string, secret: string) => `${before}:${hide('url', secret)}@`);
  if (long.test(clean)) clean = clean.replace(secretShape(), (secret) => hide('shape', secret));
  if (separator.test(clean) && telling.test(clean))
    clean = clean.replace(named(), (all, name: string, between: string, quote: string, found: string) => {
      const value = found.replace(colour, '');
      const rest = found.slice(value.length);
      return isSecret(value, between === '=', quote !== '') ? `${name}${between}${quote}${hide('named', value)}${rest}` : all;
    });
  return clean;
}

/** What is assigned to such a name is a secret, unless it only says what kind of thing belongs there, or where it comes
 *  from. In prose (`token: string`, `password: required`) a plain word is a word. */
export function isSecret(value: string, isTight: boolean, isQuoted: boolean): boolean {
  if (value.startsWith(hidden)) return false;
  if (/^(?:[$<{%*(#@]|\[|env[.(]|x{3,}|\.{2,}|-+$)/i.test(value) || /[()[\]{}]/.test(value)) return false;
  if (placeholders.has(value.toLowerCase().replace(/[.!?:|]+$/, ''))) return false;
  if (/^[A-Za-z_]+(?:[.:/-][A-Za-z_]+)+[.!?:]?$/.test(value)) return false;
  if (/\d/.test(value) || (isQuoted && !/\s/.test(value))) return value.length >= 6 || isTight;
  if (/\s/.test(value)) return false;
  return isTight || (value.length >= 12 && /[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#^&+~]/.test(value);
}

const placeholders = new Set(
  'null true false none undefined string number boolean text object array bytes optional required missing invalid expired unset empty redacted secret token password value refresh access changeme example here your name field type uuid jwt opaque bearer basic'.split(
    ' ',
  ),
);

/** Base64 that decodes to a secret is one; where in a run the encoding begins is not known. */
export function holdsSecret(run: string, isKnown = (decoded: string): boolean => hideShapes(decoded, plainly) !== decoded): boolean {
  const plain = run.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  for (let skip = 0; skip < 4; skip++) {
    const part = plain.slice(skip);
    const decoded = decode(part.slice(0, part.length - (part.length % 4 === 1 ? 1 : 0)));
    if (decoded !== undefined && isKnown(decoded)) return true;
  }
  return false;
}

function decode(text: string): string | undefined {
  try {
    const decoded = atob(text);
    // Bytes that are no text hold no secret that could be read here.
    return /^[\t\n\r\x20-\x7e]{8}/.test(decoded) || /[\x20-\x7e]{16}/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const longest = 1000;
const deepest = 50;
const secretName =
  /(?:^|_)(?:pass(?:word|wd|phrase)?|pwd|secret|token|api_?key|auth(?:orization)?|credentials?|private_?key|access_?key|(?:pass|secret|credential)(?:word)?s)$/;
const isSecretName = (name: string): boolean =>
  secretName.test(
    name
      .slice(-100)
      .replace(/([a-z0-9])(?=[A-Z])/g, '$1_')
      .replaceAll('-', '_')
      .toLowerCase(),
  );

/** Files that were handed over, thousands of them maybe, are told as one long text is. */
function contentOf(files: unknown[]): { items: number; length: number; sha256: string } | undefined {
  const texts = files.map((file) => (file as { text?: unknown } | null)?.text);
  const length = texts.reduce((sum: number, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  return length > longest ? { items: files.length, length, sha256: sha256(texts.join('\0').toWellFormed()) } : undefined;
}

/** Parameters as the audit log keeps them: secrets hidden, long texts as length and hash, what is nested too deep left out. */
export function redactParams(value: unknown, name = '', depth = 0): unknown {
  if (typeof value === 'string') {
    if (isSecretName(name)) return hidden;
    return value.length > longest ? { length: value.length, sha256: sha256(value.toWellFormed()) } : redactText(value).toWellFormed();
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '[nested too deep]';
  if (Array.isArray(value)) {
    const whole = name === 'content' ? contentOf(value) : undefined;
    return whole ?? value.map((item) => redactParams(item, name, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactText(key.slice(0, longest)).toWellFormed(), redactParams(item, key, depth + 1)]),
  );
}
