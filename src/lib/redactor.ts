import { looksSecret, redactText } from './redact.ts';
import { redactPlaces, redactWrapped } from './secret-places.ts';
import { createSpellingPattern, mayBeEscaped } from './secret-spelling.ts';
import { classifyName, isCountName, isSecretValue, type SecretName } from './secrets.ts';

/** Hides secrets in everything that a run writes. If redaction fails, the write fails. */
export interface Redactor {
  text(text: string): string;
  /** Redacts a value of any shape. Values under secret names are hidden whole. */
  value(value: unknown): unknown;
  /** Redacts output as it arrives. A possible beginning of a secret is held back until its end arrives. */
  stream(): { push(part: Uint8Array): string; end(): string };
  /** Returns how many secrets each rule has hidden. */
  counts(): Record<string, number>;
}

export interface RedactorOptions {
  /** Values of secret environment variables and of declared credentials. They are hidden wherever they occur. */
  secrets: string[];
  /** Patterns that the user wants hidden. */
  patterns: { replace(text: string, by: (found: string) => string): string }[];
  /** Fingerprints of values that are not secrets. */
  allow: string[];
  /** Computes a keyed hash. A secret has one fingerprint in a project and another one in the next project. */
  mac(text: string): string;
}

const minSecretLength = 8;
const maxFingerprints = 1000;
const maxCleanTexts = 5000;
const maxCleanLength = 200;
/** A line of this length is written in parts. */
const maxLineLength = 65_536;
/** The length of the longest secret that is recognized by its shape. */
const maxShapeLength = 8192;
/** The length up to which a stream waits for the end of a private key. */
const maxKeyLength = 65_536;
/** Base64 is decoded twice: a secret may have been encoded in something that was encoded. */
const maxDecodings = 1;
/** The number of positions tried before a long line is cut, and the length held back if none of them is safe. */
const maxTries = 32;
const maxHeldLength = 1_048_576;
/** The length up to which a stream examines the text that it holds back whenever more arrives. */
const maxCheckedLength = 4096;
/** Shorter numbers are counts and ports. */
const minSecretDigits = 6;

/** Checks whether the value of an environment variable is a secret by the name of the variable. */
export const isSecretVariable = (name: string): boolean => !/^(?:OLD)?PWD$/.test(name) && classifyName(name) !== undefined;

/** Lists the values to hide of an environment: those of variables with secret names, and those of all declared variables whatever their
 *  name. `isPlain` recognizes variables that never hold a secret, such as `PATH`. */
export function listSecretValues(
  env: Record<string, string | undefined>,
  { variables = [], credentials = [] }: { variables?: readonly string[]; credentials?: readonly string[] } = {},
  isPlain: (name: string) => boolean = () => false,
): string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (!value) continue;
    if (credentials.includes(name)) values.add(value);
    else if (isPlain(name) || /^(?:OLD)?PWD$/.test(name) || isOrdinaryValue(value)) continue;
    else if (variables.includes(name) || isSecretVariable(name)) values.add(value);
  }
  return [...values];
}

/** Recognizes a path (`SSH_AUTH_SOCK`, `PASSWORD_STORE_DIR`) and the usual values of a setting. Hiding them would garble every log. */
const isOrdinaryValue = (value: string): boolean =>
  /^(?:production|development|localhost|disabled|enabled|required|optional|undefined|default|keychain|keyring|(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][a-z.]?[A-Za-z_.@ +-]{0,15}\d{0,6}){2,}[\\/]?)$/.test(
    value,
  );

/** Creates a redactor. It replaces each secret by a mark with the rule that found it and a fingerprint. */
export function createRedactor({ secrets, patterns, allow, mac }: RedactorOptions): Redactor {
  const counts: Record<string, number> = {};
  // Logs repeat the same secrets.
  const fingerprints = new Map<string, string>();
  const getFingerprint = (secret: string): string => {
    const known = fingerprints.get(secret) ?? mac(secret).slice(0, 8);
    if (fingerprints.size < maxFingerprints) fingerprints.set(secret, known);
    return known;
  };
  // Records and traces repeat the same texts: names of fields, of phases, of this run.
  const cleanTexts = new Set<string>();
  const nameKinds = new Map<string, SecretName | undefined>();
  const getNameKind = (name: string): SecretName | undefined => {
    if (nameKinds.has(name)) return nameKinds.get(name);
    const kind = classifyName(name);
    if (nameKinds.size < maxCleanTexts && name.length <= maxCleanLength) nameKinds.set(name, kind);
    return kind;
  };
  const harmless = new Set(allow);
  const hide: HideFound = (rule, found, secret = found) => {
    if (isRedactionMark(found)) return found;
    const fingerprint = getFingerprint(secret);
    if (harmless.has(fingerprint)) return found;
    counts[rule] = (counts[rule] ?? 0) + 1;
    return `[REDACTED:${rule}:${fingerprint}]`;
  };
  const values = [...new Set(secrets.filter((value) => value.length >= minSecretLength))];
  // Longest first, because a secret may be part of another one.
  const forms = values.flatMap(listForms).sort((one, other) => other.form.length - one.form.length);
  const spellings = values.flatMap((value) => {
    const pattern = createSpellingPattern(value);
    return pattern ? [{ value, pattern }] : [];
  });
  const redactWith = (whole: string, hide: HideFound, depth = 0): string => {
    let clean = whole;
    for (const { form, value } of forms) if (clean.includes(form)) clean = clean.split(form).join(hide('value', form, value));
    if (spellings.length > 0 && mayBeEscaped(clean))
      for (const { value, pattern } of spellings) clean = clean.replace(pattern, (found) => hide('value', found, value));
    const isInside = (decoded: string): boolean => {
      const text = decodeUtf8(decoded);
      return redactWith(text, hideUncounted, depth + 1) !== text;
    };
    const isKnown = depth < maxDecodings ? isInside : undefined;
    clean = redactPlaces(redactText(redactWrapped(clean, hide, isKnown), hide, isKnown), hide);
    for (const pattern of patterns)
      clean = pattern.replace(clean, (found) => (found.startsWith('[REDACTED:') ? found : hide('pattern', found)));
    return clean;
  };
  // Used to detect a secret without counting it.
  const hideUncounted: HideFound = (rule, found, value = found) =>
    isRedactionMark(found) || harmless.has(getFingerprint(value)) ? found : `[REDACTED:${rule}:]`;
  const text = (whole: string): string => {
    if ((whole.length < minSecretLength && patterns.length === 0) || cleanTexts.has(whole)) return whole;
    const clean = redactWith(whole, hide);
    if (clean === whole && whole.length <= maxCleanLength && cleanTexts.size < maxCleanTexts) cleanTexts.add(whole);
    return clean;
  };
  const redactNumber = (given: number, kind: SecretName | undefined, name: string): unknown =>
    kind === 'secret' && String(given).length >= minSecretDigits && !isCountName(name) ? hide('key', String(given)) : given;
  const redactNamed = (given: unknown): unknown =>
    typeof given === 'string' && looksSecret(given, false, false) ? hide('key', given) : value(given);
  const value = (given: unknown, kind?: SecretName, name = ''): unknown => {
    if (typeof given === 'string') return isSecretValue(kind, given) && !isRedactionMark(given) ? hide('key', given) : text(given);
    if (typeof given === 'number') return redactNumber(given, kind, name);
    if (Array.isArray(given))
      return given.map((item, i) => (kind === undefined && followsSecretName(given, i) ? redactNamed(item) : value(item, kind, name)));
    if (typeof given !== 'object' || given === null) return given;
    const isPair = kind === undefined && 'value' in given && isSecretPair(given);
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [
        text(key),
        isPair && key === 'value' ? redactNamed(item) : value(item, kind ?? getNameKind(key), key),
      ]),
    );
  };
  const hasLineBreaks = values.some((value) => value.includes('\n'));
  return {
    text,
    value: (given) => value(given),
    stream: () =>
      createStream(text, {
        heldBack: hasLineBreaks ? Math.max(...values.map((value) => value.length)) : 0,
        isApart(before, after) {
          const together = redactWith(before + after, hideUncounted);
          return together === before + after || together === redactWith(before, hideUncounted) + redactWith(after, hideUncounted);
        },
      }),
    counts: () => ({ ...counts }),
  };
}

/** Returns the replacement of a found text. `secret` is its plain form if it was found encoded or escaped. */
type HideFound = (rule: string, found: string, secret?: string) => string;

/** Checks whether an item follows a secret option (`['--token', 'x']`) or is the second of a pair (`['x-api-key', 'x']`). */
function followsSecretName(list: unknown[], at: number): boolean {
  const before = list[at - 1];
  if (typeof before !== 'string' || before.length > 200) return false;
  return (list.length === 2 || /^--?[\w-]+$/.test(before)) && classifyName(before) !== undefined;
}

/** Recognizes `{ name: 'Authorization', value: … }`. */
function isSecretPair(given: object): boolean {
  const { name, key, header } = given as Record<string, unknown>;
  const label = name ?? key ?? header;
  return typeof label === 'string' && classifyName(label) !== undefined;
}

/** Recognizes the mark of an earlier redaction. Hiding it again would replace its fingerprint. */
const isRedactionMark = (text: string): boolean => /^\[REDACTED:[a-z]+:[0-9a-f]{8}\]$/.test(text);

/** Lists the forms of a secret: plain, in hex, and in base64 at each of the three possible offsets. */
function listForms(value: string): { form: string; value: string }[] {
  const bytes = [...new TextEncoder().encode(value)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((before) => {
    const code = btoa('\0'.repeat(before) + String.fromCharCode(...bytes)).replace(/=+$/, '');
    // The first and last characters also encode neighbouring bytes.
    const own = code.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    return before === 0 ? [code, own] : [own];
  });
  const toUrlSafe = (code: string): string => code.replaceAll('+', '-').replaceAll('/', '_');
  const forms = [value, hex, hex.toUpperCase(), ...base64.flat(), ...base64.flat().map(toUrlSafe)];
  return [...new Set(forms)].filter((form) => form.length >= minSecretLength).map((form) => ({ form, value }));
}

/** Decodes a string that has one byte in each character. */
function decodeUtf8(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const all = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) all[i] = bytes.charCodeAt(i);
  return new TextDecoder().decode(all);
}

interface StreamLimits {
  /** The length of the longest secret with line breaks. */
  heldBack: number;
  /** Checks whether two parts of a text can be redacted one by one. */
  isApart(before: string, after: string): boolean;
}

/** Emits complete lines, and holds back a line whose secret may continue in the next one. */
function createStream(clean: (text: string) => string, limits: StreamLimits): ReturnType<Redactor['stream']> {
  const decoder = new TextDecoder();
  let waiting = '';
  let nextCheck = 0;
  const take = (text: string, isEnd: boolean): string => {
    waiting += text;
    // A long text that is held back is examined again when it has grown by a quarter. A program that writes single characters would
    // otherwise have all of it read for each of them.
    if (!isEnd && waiting.length < nextCheck) return '';
    const cut = isEnd ? waiting.length : findCut(waiting, limits);
    const ready = waiting.slice(0, cut);
    waiting = waiting.slice(cut);
    nextCheck = waiting.length > maxCheckedLength ? Math.ceil(waiting.length * 1.25) : 0;
    return ready === '' ? '' : clean(ready);
  };
  return {
    push: (part) => take(decoder.decode(part, { stream: true }), false),
    end: () => take(decoder.decode(), true),
  };
}

/** Finds the position up to which a text can be redacted without its continuation. */
function findCut(text: string, limits: StreamLimits): number {
  const limit = text.length - limits.heldBack;
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const cut = limit <= 0 ? 0 : limit - line < maxLineLength ? findLineCut(text, line) : findCutInLine(text, line, limit, limits);
  const key = Math.max(text.lastIndexOf('-----BEGIN', cut), text.lastIndexOf('---- BEGIN', cut));
  if (key < 0 || text.length - key > maxKeyLength) return cut;
  const closing = /----(?:-| )END [^\n]*?----/.exec(text.slice(key));
  return closing && key + closing.index + closing[0].length <= cut ? cut : Math.min(cut, key);
}

/** Moves a cut in front of lines that continue in the next one: wrapped base64, or a name whose value follows. */
function findLineCut(text: string, line: number): number {
  for (let cut = line; cut > 0 && line - cut < maxKeyLength; ) {
    const before = text.lastIndexOf('\n', cut - 2) + 1;
    if (!/^(?:[A-Za-z0-9+/]{60,76}|[^\n]{0,200}[=:|>])\s*$/.test(text.slice(before, Math.min(cut, before + 300)))) return cut;
    cut = before;
  }
  return line - maxKeyLength > 0 ? line : 0;
}

/** Finds a cut in a line without an end: between two values, and not within a secret. */
function findCutInLine(text: string, line: number, limit: number, { isApart }: StreamLimits): number {
  let at = limit - maxShapeLength;
  for (let tries = 0; tries < maxTries && at > line; tries++) {
    const between = Math.max(...[',', ';', '}', ' '].map((mark) => text.lastIndexOf(mark, at - 1))) + 1;
    const cut = between > Math.max(line, at - maxShapeLength) ? between : at;
    if (isApart(text.slice(Math.max(0, cut - maxShapeLength), cut), text.slice(cut, cut + maxShapeLength))) return cut;
    at = Math.min(between, cut - 1) > at - maxShapeLength ? Math.min(between, cut) - 1 : cut - maxShapeLength / 8;
  }
  return limit - line < maxHeldLength ? line : Math.max(line, limit - 2 * maxShapeLength);
}
