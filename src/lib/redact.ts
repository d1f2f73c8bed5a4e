import { sha256 } from './digest.ts';
import {
  classifyAssignedName,
  classifyName,
  getSecretPattern,
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
  // Hashes, ids and times make up most of what is written, and none of them is a secret.
  if (/^(?!fc-)[0-9a-fTZ:.-]*$/.test(text)) return text;
  const clean = hideShapes(text, hide);
  return clean.length > minBase64Length && longRun.test(clean)
    ? clean.replace(base64Run, (run) => (containsSecret(run, isKnown) ? hide('encoded', run) : run))
    : clean;
}

// Most texts are a few words. Compiling the big patterns for them would cost a write more than the rest of its log entry.
const longRun = /\S{15}|-----BEGIN/;
const secretHint = /pass|pwd|pw|secret|token|key|credential/i;
/** The characters between a name and its value. A text without them assigns nothing. */
export const separator = /[=:\s<]/;

function hideShapes(text: string, hide: HideSecret): string {
  let clean = text;
  if (clean.includes('://'))
    clean = clean.replace(getUrlPattern(), (_, before: string, secret: string) => `${before}:${hide('url', secret)}@`);
  if (longRun.test(clean) && mayContainSecret(clean)) clean = clean.replace(getSecretPattern(), (secret) => hide('shape', secret));
  if (separator.test(clean) && secretHint.test(clean))
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
export const redactParams = (value: unknown): unknown => redactValue(value, createRedactedName(''), new Map(), 0);

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

/** `names` has the names that were seen before: a batch repeats the same few names a thousand times. */
function redactValue(value: unknown, under: RedactedName, names: Map<string, RedactedName>, depth: number): unknown {
  if (typeof value === 'string') {
    if (isSecretValue(under.kind, value)) return redactedMark;
    return value.length > maxTextLength ? { length: value.length, sha256: sha256(value.toWellFormed()) } : redactText(value).toWellFormed();
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '[nested too deep]';
  if (Array.isArray(value)) {
    const whole = under.name === 'content' ? summarizeFiles(value) : undefined;
    return whole ?? value.map((item) => redactValue(item, under, names, depth + 1));
  }
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    let known = names.get(key);
    if (!known) {
      known = createRedactedName(key);
      names.set(key, known);
    }
    entries.push([known.redacted, redactValue((value as Record<string, unknown>)[key], known, names, depth + 1)]);
  }
  return Object.fromEntries(entries);
}
