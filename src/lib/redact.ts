import { sha256 } from './digest.ts';
import {
  classifyAssignedName,
  classifyName,
  getSecretPattern,
  hasHint,
  isSecretValue,
  mayContainSecret,
  type SecretName,
  secretNamePattern,
  wordStart,
} from './secrets.ts';

export const redactedMark = '[redacted]';

/** Returns the replacement of a secret. `rule` says how the secret was found. */
export type HideSecret = (rule: 'url' | 'shape' | 'named' | 'encoded' | 'header', secret: string) => string;
const hidePlainly: HideSecret = () => redactedMark;

let urlPattern: RegExp | undefined;
function getUrlPattern(): RegExp {
  urlPattern ??= new RegExp(`${wordStart}([a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s:/?#@"'<>]*):([^\\s/?#"'<>]+)@`, 'gi');
  return urlPattern;
}

let assignmentPattern: RegExp | undefined;
/** Matches `password=x`, `"apiKey": "x"` and `--token x`. */
function getAssignmentPattern(): RegExp {
  assignmentPattern ??= new RegExp(
    `((?:--|${wordStart})(?:[A-Za-z0-9]+[_-]){0,6}(?:[a-z]+(?=[A-Z]))?${secretNamePattern}\\\\{0,9}["'\`]?)(\\s*(?:[=:]|=>|:=)\\s*|(?<=--[\\w-]{0,60})\\s+)(\\\\{0,9}["'\`]|)((?<=["'\`])[^"'\`\\n]{3,}?[^"'\`\\n\\\\](?=\\\\*["'\`])|[^\\s"'\`,;&)\\]}]{4,})`,
    'gi',
  );
  return assignmentPattern;
}

/** An ANSI color code, raw or as JSON escapes it, and everything after it. */
const ansiColor = /(?:\x1b|\\(?:u001b|x1b|033|e))\[[\s\S]*$/;
/** Base64 that is long enough to contain a secret. */
const minBase64Length = 23;
const base64Run = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** Hides the secrets in a text. `isKnown` recognizes further secrets in decoded base64. */
export function redactText(text: string, hide: HideSecret = hidePlainly, isKnown?: (decoded: string) => boolean): string {
  // Short words, hashes, ids and times make up most of what is written, and none of them is a secret.
  if (!mayHaveSecret.test(text) || /^(?!fc-)[0-9a-fTZ:.-]*$/.test(text)) return text;
  const clean = hideShapes(text, hide);
  return clean.length > minBase64Length && longRun.test(clean)
    ? clean.replace(base64Run, (run) => (containsSecret(run, isKnown) ? hide('encoded', run) : run))
    : clean;
}

// Most texts are a few words. Compiling the big patterns for them would cost a write more than the rest of its log entry.
const longRun = /\S{15}|-----BEGIN/;
/** A text with none of these has no secret: neither an assigned value, nor the password of an address, nor a known shape. */
const mayHaveSecret = /[=:]|--|\S{15}/;
/** Between a name and its value, or in front of a flag. A text without them assigns nothing. */
const assignment = /[=:]|--/;
/** The characters between a name and its value in any place where secrets are. */
export const separator = /[=:\s<]/;

function hideShapes(text: string, hide: HideSecret): string {
  let clean = text;
  if (clean.includes('://'))
    clean = clean.replace(getUrlPattern(), (_, before: string, secret: string) => `${before}:${hide('url', secret)}@`);
  if (longRun.test(clean) && mayContainSecret(clean)) clean = clean.replace(getSecretPattern(), (secret) => hide('shape', secret));
  if (assignment.test(clean) && hasHint(clean.toLowerCase()))
    clean = clean.replace(getAssignmentPattern(), (all, name: string, between: string, quote: string, found: string) => {
      const value = found.replace(ansiColor, '');
      const rest = found.slice(value.length);
      const isHidden = /pass$|pw$/i.test(name.replace(/[\\"'`]+$/, ''))
        ? isAssignedPassword(name.replace(/[\\"'`]+$/, ''), value, between === '=', quote !== '')
        : looksSecret(value, between === '=', quote !== '');
      return isHidden ? `${name}${between}${quote}${hide('named', value)}${rest}` : all;
    });
  return clean;
}

const isAssignedPassword = (name: string, value: string, isTight: boolean, isQuoted: boolean): boolean =>
  passName.test(name) && classifyAssignedName(name) !== undefined && isPassword(value, isTight, isQuoted);

/** Checks whether a value after a secret name is the secret itself, not a placeholder, a reference to it or its type. In prose
 *  (`token: string`, `password: required`) a plain word is not a secret. */
export function looksSecret(value: string, isTight: boolean, isQuoted: boolean): boolean {
  if (value.startsWith(redactedMark)) return false;
  if (/^(?:[$<{%*(#@]|\[|env[.(]|x{3,}|\.{2,}|-+$)/i.test(value) || /[()[\]{}]/.test(value)) return false;
  if (getPlaceholders().has(value.toLowerCase().replace(/[.!?:|]+$/, ''))) return false;
  if (/^[A-Za-z_]+(?:[.:/-][A-Za-z_]+)+[.!?:]?$/.test(value) || isPathOrMessage(value)) return false;
  if (/\d/.test(value) || (isQuoted && !/\s/.test(value))) return value.length >= 6 || isTight;
  if (/\s/.test(value)) return false;
  return isTight || (value.length >= 12 && /[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#^&+~]/.test(value);
}

/** `pass`, `db_pass` and `dbPass`, not `bypass`. */
export const passName = /(?:(?:^|[^A-Za-z])(?:[Pp]ass|PASS|[Pp]w|PW)|[a-z]P(?:ass|w))$/;

/** A value after `pass` or `pw`, which are also words: `pass: 12`, `pass=true`. */
export function isPassword(value: string, isTight: boolean, isQuoted: boolean): boolean {
  if (
    /^\d+(?:[./%]\d*)*%?$/.test(value) ||
    /^(?:complete[d]?|success|succeeded|skipped|pending|optional|tests?|passed|through)$/i.test(value)
  )
    return false;
  const isMixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  return (isTight || isQuoted || (isMixed && value.length >= 8)) && looksSecret(value, isTight, isQuoted);
}

/** Recognizes a path, as in `PWD=/home/ada/app2`, and the answer of a validator, as in `token=invalid_grant`. */
export const isPathOrMessage = (value: string): boolean =>
  /^(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][A-Z]?[a-z0-9_.@ -]{1,40}){2,}[\\/]?$/.test(value) ||
  (/^[A-Za-z]+(?:[_-][A-Za-z]+)*[.!]?$/.test(value) && validationWord.test(value));

const validationWord =
  /(?:^|[_-])(?:invalid|required|missing|expired|expected|unexpected|unauthorized|denied|error|failed|failure|mismatch|malformed|empty|revoked|unknown|too|not|must|no)(?:$|[_-])/i;

let placeholders: Set<string> | undefined;
function getPlaceholders(): Set<string> {
  placeholders ??= new Set(listPlaceholders());
  return placeholders;
}

const listPlaceholders = (): string[] =>
  'null true false none undefined string number boolean text object array bytes optional required missing invalid expired unset empty redacted secret token password value refresh access changeme example here your name field type uuid jwt opaque bearer basic'.split(
    ' ',
  );

/** Checks whether base64 decodes to a secret. The run may contain other characters in front, so it is decoded at every offset. */
export function containsSecret(run: string, isKnown = (decoded: string): boolean => hideShapes(decoded, hidePlainly) !== decoded): boolean {
  const plain = run.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  for (let skip = 0; skip < 4; skip++) {
    const part = plain.slice(skip);
    const decoded = decodeBase64(part.slice(0, part.length - (part.length % 4 === 1 ? 1 : 0)));
    if (decoded !== undefined && isKnown(decoded)) return true;
  }
  return false;
}

function decodeBase64(text: string): string | undefined {
  try {
    const decoded = atob(text);
    // Binary data contains no readable secret.
    return /^[\t\n\r\x20-\x7e]{8}/.test(decoded) || /[\x20-\x7e]{16}/.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const maxTextLength = 1000;
const maxDepth = 50;

/** Summarizes the files of an import by number, length and hash. There may be thousands of them. */
function summarizeFiles(files: unknown[]): { items: number; length: number; sha256: string } | undefined {
  const texts = files.map((file) => (file as { text?: unknown } | null)?.text);
  const length = texts.reduce((sum: number, text) => sum + (typeof text === 'string' ? text.length : 0), 0);
  return length > maxTextLength ? { items: files.length, length, sha256: sha256(texts.join('\0').toWellFormed()) } : undefined;
}

/** Prepares parameters for the audit log: secrets are hidden, long texts become length and hash, deep nesting is cut off. */
export const redactParams = (value: unknown): unknown => redactValue(value, createRedactedName(''), { names: new Map(), texts: [] }, 0);

interface RedactedName {
  name: string;
  redacted: string;
  kind: SecretName | undefined;
}

const createRedactedName = (name: string): RedactedName => ({
  name,
  redacted: redactText(name.slice(0, maxTextLength)).toWellFormed(),
  kind: classifyName(name),
});

interface Redaction {
  /** The names that were seen before: a batch repeats the same few names a thousand times. */
  names: Map<string, RedactedName>;
  /** The texts of an object, while they are searched. One list for all objects. */
  texts: string[];
}

/** A value without secrets is returned as it is, because a copy of a batch would be a tenth of its memory. */
function redactValue(value: unknown, under: RedactedName, redaction: Redaction, depth: number): unknown {
  if (typeof value === 'string') {
    if (isSecretValue(under.kind, value)) return redactedMark;
    return value.length > maxTextLength ? { length: value.length, sha256: sha256(value.toWellFormed()) } : redactText(value).toWellFormed();
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '[nested too deep]';
  if (Array.isArray(value)) {
    const whole = under.name === 'content' ? summarizeFiles(value) : undefined;
    if (whole) return whole;
    let items: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = redactValue(value[i], under, redaction, depth + 1);
      if (item !== value[i]) items ??= value.slice(0, i);
      items?.push(item);
    }
    return items ?? value;
  }
  const items = value as Record<string, unknown>;
  if (isHarmless(items, redaction)) return value;
  const keys = Object.keys(value);
  const known = keys.map((key) => getName(key, redaction.names));
  let entries: [string, unknown][] | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const item = redactValue(items[key], known[i]!, redaction, depth + 1);
    if (item !== items[key] || known[i]!.redacted !== key) entries ??= keys.slice(0, i).map((name) => [name, items[name]]);
    entries?.push([known[i]!.redacted, item]);
  }
  return entries ? Object.fromEntries(entries) : value;
}

function getName(key: string, names: Map<string, RedactedName>): RedactedName {
  let known = names.get(key);
  if (!known) {
    known = createRedactedName(key);
    names.set(key, known);
  }
  return known;
}

const isHarmlessName = ({ name, redacted, kind }: RedactedName): boolean => kind === undefined && redacted === name && name !== 'content';

/** Texts of this length are searched separately, because joining them would copy them. */
const minSeparateLength = 64;

/** Checks that nothing has to be hidden in an object of texts and lists of them. Short texts are searched together, which takes half the time
 *  that a search of each takes. */
function isHarmless(items: Record<string, unknown>, { names, texts }: Redaction): boolean {
  texts.length = 0;
  for (const key in items) {
    if (!isHarmlessName(getName(key, names))) return false;
    const item = items[key];
    if (typeof item === 'string') {
      if (item.length < minSeparateLength) texts.push(item);
      else if (!isHarmlessText(item)) return false;
    } else if (Array.isArray(item)) {
      for (let i = 0; i < item.length; i++)
        if (typeof item[i] === 'string') texts.push(item[i]);
        else return false;
    } else if (typeof item === 'object' && item !== null) return false;
  }
  return isHarmlessText(texts.join('\n'));
}

const isHarmlessText = (text: string): boolean => text.length <= maxTextLength && text.isWellFormed() && !mayHaveSecret.test(text);
