import { isSecret, redactText } from './redact.ts';
import type { Redactor } from './redactor-port.ts';
import { isCount, kindOfKey } from './secret-names.ts';
import { hidePlaces, hideWrapped } from './secret-places.ts';
import { hasSpellings, spellingOf } from './secret-spelling.ts';

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
const mostKnown = 5000;
const longestKnown = 200;
/** A line may be this long before a part of it is let go. */
const longestLine = 65_536;
/** No secret that can be told by its shape is longer. */
const overlap = 8192;
/** What begins like a key is waited for this long. */
const longestKey = 65_536;
/** What was encoded may have been encoded before. */
const deepest = 1;
/** So many places are looked at for one where a line can be cut, and so much of it is held where there is none. */
const mostTries = 32;
const longestHeld = 1_048_576;

/** Names of variables whose values are secret. */
export const isSecretVariable = (name: string): boolean => /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|AUTH/i.test(name);

/** From which length on a value of that name is hidden; undefined: never. */
function hiddenFrom(name: string): number | undefined {
  const kind = kindOfKey(name);
  return kind === 'telling' ? 1 : kind === 'ambiguous' ? shortest : undefined;
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
  // Records and traces say the same again and again: names of fields, of phases, of this run.
  const known = new Set<string>();
  const harmless = new Set(allow);
  const hide: Hiding = (rule, found, secret = found) => {
    if (isMark(found)) return found;
    const print = printOf(secret);
    if (harmless.has(print)) return found;
    counts[rule] = (counts[rule] ?? 0) + 1;
    return `[REDACTED:${rule}:${print}]`;
  };
  const values = [...new Set(secrets.filter((value) => value.length >= shortest))];
  // The longest first: one may be part of another.
  const forms = values.flatMap(formsOf).sort((one, other) => other.form.length - one.form.length);
  const spellings = values.flatMap((value) => {
    const pattern = spellingOf(value);
    return pattern ? [{ value, pattern }] : [];
  });
  const cleanedBy = (whole: string, hide: Hiding, depth = 0): string => {
    let clean = whole;
    for (const { form, value } of forms) if (clean.includes(form)) clean = clean.split(form).join(hide('value', form, value));
    if (spellings.length > 0 && hasSpellings(clean))
      for (const { value, pattern } of spellings) clean = clean.replace(pattern, (found) => hide('value', found, value));
    // What is hidden in what was encoded is not counted: it is only looked for.
    const isInside = (decoded: string): boolean => {
      const text = utf8(decoded);
      return cleanedBy(text, unseen, depth + 1) !== text;
    };
    const isKnown = depth < deepest ? isInside : undefined;
    clean = hidePlaces(redactText(hideWrapped(clean, hide, isKnown), hide, isKnown), hide);
    for (const pattern of patterns)
      clean = pattern.replace(clean, (found) => (found.startsWith('[REDACTED:') ? found : hide('pattern', found)));
    return clean;
  };
  const unseen: Hiding = (rule, found, value = found) => (isMark(found) || harmless.has(printOf(value)) ? found : `[REDACTED:${rule}:]`);
  const text = (whole: string): string => {
    if ((whole.length < shortest && patterns.length === 0) || known.has(whole)) return whole;
    const cleaned = cleanedBy(whole, hide);
    if (cleaned === whole && whole.length <= longestKnown && known.size < mostKnown) known.add(whole);
    return cleaned;
  };
  const number = (given: number, from: number | undefined, name: string): unknown =>
    from === 1 && String(given).length >= shortestNumber && !isCount(name) ? hide('key', String(given)) : given;
  const ifSecret = (given: unknown): unknown =>
    typeof given === 'string' && isSecret(given, false, false) ? hide('key', given) : value(given);
  const value = (given: unknown, from?: number, name = ''): unknown => {
    if (typeof given === 'string') return from !== undefined && given.length >= from && !isMark(given) ? hide('key', given) : text(given);
    if (typeof given === 'number') return number(given, from, name);
    if (Array.isArray(given))
      return given.map((item, i) => (from === undefined && isNamedBefore(given, i) ? ifSecret(item) : value(item, from, name)));
    if (typeof given !== 'object' || given === null) return given;
    const pair = from === undefined && 'value' in given && isPair(given);
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [
        text(key),
        pair && key === 'value' ? ifSecret(item) : value(item, from ?? hiddenFrom(key), key),
      ]),
    );
  };
  const isManyLines = values.some((value) => value.includes('\n'));
  return {
    text,
    value: (given) => value(given),
    stream: () =>
      streamOf(text, {
        heldBack: isManyLines ? Math.max(...values.map((value) => value.length)) : 0,
        isApart(before, after) {
          const together = cleanedBy(before + after, unseen);
          return together === before + after || together === cleanedBy(before, unseen) + cleanedBy(after, unseen);
        },
      }),
    counts: () => ({ ...counts }),
  };
}

/** What stands for a secret that was found; `secret` where it was found in another form than its own. */
type Hiding = (rule: string, found: string, secret?: string) => string;

/** Behind the option of a command, or behind a name in a list of two. */
function isNamedBefore(list: unknown[], at: number): boolean {
  const before = list[at - 1];
  if (typeof before !== 'string' || before.length > 200) return false;
  return (list.length === 2 || /^--?[\w-]+$/.test(before)) && kindOfKey(before) !== undefined;
}

/** `{ name: 'Authorization', value: … }` */
function isPair(given: object): boolean {
  const { name, key, header } = given as Record<string, unknown>;
  const called = name ?? key ?? header;
  return typeof called === 'string' && kindOfKey(called) !== undefined;
}

/** What was hidden before is not hidden again: its fingerprint is what it can be told by. */
const isMark = (text: string): boolean => /^\[REDACTED:[a-z]+:[0-9a-f]{8}\]$/.test(text);

/** As it stands, in hex, and in base64 wherever in something encoded it begins. */
function formsOf(value: string): { form: string; value: string }[] {
  const bytes = [...new TextEncoder().encode(value)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const inBase64 = [0, 1, 2].map((before) => {
    const code = btoa('\0'.repeat(before) + String.fromCharCode(...bytes)).replace(/=+$/, '');
    // Without the characters that its neighbours have a part in.
    const own = code.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    return before === 0 ? [code, own] : [own];
  });
  const inAddresses = (code: string): string => code.replaceAll('+', '-').replaceAll('/', '_');
  const forms = [value, hex, hex.toUpperCase(), ...inBase64.flat(), ...inBase64.flat().map(inAddresses)];
  return [...new Set(forms)].filter((form) => form.length >= shortest).map((form) => ({ form, value }));
}

/** Of bytes that stand one a character. */
function utf8(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const all = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) all[i] = bytes.charCodeAt(i);
  return new TextDecoder().decode(all);
}

interface Holding {
  /** As much as a secret of many lines may need. */
  heldBack: number;
  /** Whether two parts of a text can be judged one by one. */
  isApart(before: string, after: string): boolean;
}

/** Lines are let go when they are whole; but not the beginning of something that goes on in the next. */
function streamOf(clean: (text: string) => string, holding: Holding): ReturnType<Redactor['stream']> {
  const decoder = new TextDecoder();
  let waiting = '';
  const take = (text: string, isEnd: boolean): string => {
    waiting += text;
    const cut = isEnd ? waiting.length : cutOf(waiting, holding);
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
function cutOf(text: string, holding: Holding): number {
  const limit = text.length - holding.heldBack;
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const cut = limit <= 0 ? 0 : limit - line < longestLine ? lineCut(text, line) : withinLine(text, line, limit, holding);
  const key = Math.max(text.lastIndexOf('-----BEGIN', cut), text.lastIndexOf('---- BEGIN', cut));
  if (key < 0 || text.length - key > longestKey) return cut;
  const closing = /----(?:-| )END [^\n]*?----/.exec(text.slice(key));
  return closing && key + closing.index + closing[0].length <= cut ? cut : Math.min(cut, key);
}

/** Before lines that go on in the next: of something encoded, or a name whose value is still to come. */
function lineCut(text: string, line: number): number {
  for (let cut = line; cut > 0 && line - cut < longestKey; ) {
    const before = text.lastIndexOf('\n', cut - 2) + 1;
    if (!/^(?:[A-Za-z0-9+/]{60,76}|[^\n]{0,200}[=:|>])\s*$/.test(text.slice(before, Math.min(cut, before + 300)))) return cut;
    cut = before;
  }
  return line - longestKey > 0 ? line : 0;
}

/** In a line without an end: where one value ends and another begins, far enough from what may go on, and not within a secret. */
function withinLine(text: string, line: number, limit: number, { isApart }: Holding): number {
  let at = limit - overlap;
  for (let tries = 0; tries < mostTries && at > line; tries++) {
    const between = Math.max(...[',', ';', '}', ' '].map((mark) => text.lastIndexOf(mark, at - 1))) + 1;
    const cut = between > Math.max(line, at - overlap) ? between : at;
    if (isApart(text.slice(Math.max(0, cut - overlap), cut), text.slice(cut, cut + overlap))) return cut;
    at = Math.min(between, cut - 1) > at - overlap ? Math.min(between, cut) - 1 : cut - overlap / 8;
  }
  return limit - line < longestHeld ? line : Math.max(line, limit - 2 * overlap);
}
