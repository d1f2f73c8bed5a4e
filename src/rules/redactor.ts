import type { Redactor } from '../model/redactor.ts';
import { redactText } from './redact.ts';

export interface RedactorOptions {
  /** Values that are secret whatever they look like: of the environment, and those that are declared. */
  secrets: string[];
  /** What the user wants hidden beside them. */
  patterns: { replace(text: string, by: (found: string) => string): string }[];
  /** Fingerprints of what is harmless. */
  allow: string[];
  /** A keyed hash: the same secret has the same fingerprint in one project, and another in the next. */
  mac(text: string): string;
}

const shortest = 8;
const mostPrints = 1000;
/** A line may be this long before a part of it is let go. */
const longestLine = 65_536;
/** No secret that can be told by its shape is longer. */
const overlap = 8192;
/** What begins like a key is waited for this long. */
const longestKey = 65_536;

/** Names of variables whose values are secret. */
export const isSecretVariable = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|AUTH/i.test(name);

/** What is called so is secret, however short it is. */
const telling = new Set('apikey token secret secrets password passwd passphrase credential credentials private authorization'.split(' '));
/** What is called so often is: a short word is the name of something. */
const ambiguous = new Set('key keys auth'.split(' '));
/** From which length on a value of that name is hidden; undefined: never. */
function hiddenFrom(name: string): number | undefined {
  const words = name
    .slice(0, 200)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => telling.has(word)) ? 1 : words.some((word) => ambiguous.has(word)) ? shortest : undefined;
}

/** Shorter ones are counts and ports. */
const shortestNumber = 6;

/** Takes secrets out of whatever is written: each leaves a mark with the rule that found it and a fingerprint. */
export function redactorOf({ secrets, patterns, allow, mac }: RedactorOptions): Redactor {
  const counts: Record<string, number> = {};
  // A log says the same again and again.
  const prints = new Map<string, string>();
  const printOf = (secret: string): string => {
    const known = prints.get(secret) ?? mac(secret).slice(0, 8);
    if (prints.size < mostPrints) prints.set(secret, known);
    return known;
  };
  const harmless = new Set(allow);
  const hide = (rule: string, secret: string): string => {
    if (isMark(secret)) return secret;
    const print = printOf(secret);
    if (harmless.has(print)) return secret;
    counts[rule] = (counts[rule] ?? 0) + 1;
    return `[REDACTED:${rule}:${print}]`;
  };
  const values = secrets.filter((value) => value.length >= shortest);
  // The longest first: one may be part of another.
  const forms = [...new Set(values.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  const isKnown = (decoded: string): boolean => values.some((value) => decoded.includes(value) || decoded.includes(latin1(value)));
  const text = (whole: string): string => {
    let clean = whole;
    for (const form of forms) if (clean.includes(form)) clean = clean.split(form).join(hide('value', form));
    clean = redactText(clean, hide, isKnown);
    for (const pattern of patterns)
      clean = pattern.replace(clean, (found) => (found.startsWith('[REDACTED:') ? found : hide('pattern', found)));
    return clean;
  };
  const value = (given: unknown, from?: number): unknown => {
    if (typeof given === 'string') return from !== undefined && given.length >= from && !isMark(given) ? hide('key', given) : text(given);
    if (typeof given === 'number' && from !== undefined && String(given).length >= Math.max(from, shortestNumber))
      return hide('key', String(given));
    if (Array.isArray(given)) return given.map((item) => value(item, from));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item, from ?? hiddenFrom(name))]));
  };
  const isManyLines = forms.some((form) => form.includes('\n'));
  return {
    text,
    value: (given) => value(given),
    stream: () => streamOf(text, isManyLines ? Math.max(...forms.map((form) => form.length)) : 0),
    counts: () => ({ ...counts }),
  };
}

/** What was hidden before is not hidden again: its fingerprint is what it can be told by. */
const isMark = (text: string): boolean => /^\[REDACTED:[a-z]+:[0-9a-f]{8}\]$/.test(text);

/** As it stands, and as it stands in JSON, in an address and in what is sent. */
function formsOf(secret: string): string[] {
  const base64 = btoa(latin1(secret)).replace(/=+$/, '');
  return [
    ...[secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())],
    ...[base64, base64.replaceAll('+', '-').replaceAll('/', '_')],
  ].filter((form) => form.length >= shortest);
}

/** Its bytes, one a character. */
const latin1 = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** Lines are let go when they are whole; but not the beginning of a key, nor as much as a secret of many lines may need. */
function streamOf(clean: (text: string) => string, heldBack: number): ReturnType<Redactor['stream']> {
  const decoder = new TextDecoder();
  let waiting = '';
  const take = (text: string, isEnd: boolean): string => {
    waiting += text;
    const cut = isEnd ? waiting.length : cutOf(waiting, heldBack);
    const ready = waiting.slice(0, cut);
    waiting = waiting.slice(cut);
    return ready === '' ? '' : clean(ready);
  };
  return {
    push: (part) => take(decoder.decode(part, { stream: true }), false),
    end: () => take(decoder.decode(), true),
  };
}

/** Up to where a text can be judged without what comes next. */
function cutOf(text: string, heldBack: number): number {
  const limit = text.length - heldBack;
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const cut = limit <= 0 ? 0 : limit - line < longestLine ? line : withinLine(text, line, limit);
  const key = text.lastIndexOf('-----BEGIN', cut);
  if (key < 0 || text.length - key > longestKey) return cut;
  const closing = /-----END [^\n]*?-----/.exec(text.slice(key));
  return closing && key + closing.index + closing[0].length <= cut ? cut : Math.min(cut, key);
}

/** In a line without an end: where one value ends and another begins, far enough from what may go on. */
function withinLine(text: string, line: number, limit: number): number {
  const safe = text.slice(0, limit - overlap);
  const between = Math.max(...[',', ';', '}', ' '].map((mark) => safe.lastIndexOf(mark))) + 1;
  return between > line ? between : Math.max(line, limit - 2 * overlap);
}
