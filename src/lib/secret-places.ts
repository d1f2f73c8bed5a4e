import { containsSecret, type HideSecret, looksSecret, separator } from './redact.ts';
import { classifyAssignedName } from './secret-names.ts';
import { wordStart } from './secrets.ts';

/** Hides values that are secret by their position: in a header, after a name, in an XML element, after an option of a command.
 *  `redactText` hides values that are secret by their shape. */
export function redactPlaces(text: string, hide: HideSecret): string {
  if (!separator.test(text)) return text;
  let clean = text;
  if (/authorization/i.test(clean)) clean = hideBehind(clean, header, findHeaderSecret);
  if (/key|token|secret|pass|credential|private|auth/i.test(clean)) {
    clean = hideBehind(clean, assigned, findAssignedSecret);
    for (const place of namedPlaces) clean = clean.replace(place, hideNamed);
  }
  if (/login|machine|curl|sshpass/.test(clean)) for (const place of commands) clean = clean.replace(place, hideArgument);
  return clean;

  /** Checks every position on its own, because the value of a harmless name may contain another name: `note: token=x`. */
  function hideBehind(text: string, place: RegExp, findSecret: (text: string, at: number, ...groups: string[]) => FoundSecret): string {
    let done = 0;
    let out = '';
    for (const found of text.matchAll(place)) {
      const at = found.index + found[0].length;
      const secret = at < done ? undefined : findSecret(text, at, ...found.slice(1).map((group) => group ?? ''));
      if (!secret) continue;
      out += text.slice(done, at) + hide(...secret);
      done = at + secret[1].length;
    }
    return out + text.slice(done);
  }

  function hideArgument(all: string, before: string, value: string): string {
    return looksSecret(value, false, false) ? before + hide('named', value) : all;
  }

  function hideNamed(all: string, before: string, name: string, value: string): string {
    return classifyAssignedName(name) === 'secret' && looksSecret(value, false, false) ? before + hide('named', value) : all;
  }
}

type FoundSecret = ['header' | 'named', string] | undefined;

const header = new RegExp(
  `${wordStart}(?:proxy-)?authorization\\\\{0,9}["'\`]?\\s{0,3}[:=]\\s{0,3}(\\\\{0,9}["'\`])?([A-Za-z]{2,12}(?:\\d?-[A-Za-z0-9]{1,8}){0,2}[ \\t]+)?`,
  'gi',
);
const fields = /(?:[A-Za-z][\w-]*=(?:\\{0,9}"[^"\n]*"|[^\s\x1b"'`\\,;]+)[,;]?[ \t]*)+/y;
const word = /[^\s\x1b"'`\\,;]+/y;

/** Finds the credentials of an Authorization header: one word or several fields after a scheme, or a long value without a scheme. */
function findHeaderSecret(text: string, at: number, _quote: string, scheme: string): FoundSecret {
  const one = matchAt(word, text, at);
  if (/^[[<${%*]/.test(one)) return undefined;
  const several = scheme === '' || !/^[A-Za-z][\w-]*=\\*["\w/]/.test(text.slice(at, at + 100)) ? '' : matchAt(fields, text, at).trimEnd();
  if (several !== '') return ['header', several];
  const least = !/\d|[a-z][A-Z]|[=+/_]/.test(one) ? 20 : scheme === '' ? 16 : 8;
  return one.length >= least ? ['header', one] : undefined;
}

const assigned = new RegExp(
  `${wordStart}([A-Za-z_][A-Za-z0-9_.-]{1,79})(\\\\{0,9}["'\`]?\\s{0,3}(?:=>|:=|[=:])\\s{0,3}(?:[|>][+-]?(?:\\n|\\\\{1,9}n)\\s{1,20})?\\\\{0,9}["'\`]?)`,
  'g',
);
const assignedValue = /[^\s\x1b"'`,;&()<>[\]{}\\]{6,}/y;

function findAssignedSecret(text: string, at: number, name: string, between: string): FoundSecret {
  const kind = classifyAssignedName(name);
  const value = kind === undefined ? '' : matchAt(assignedValue, text, at);
  if (value === '') return undefined;
  const isHidden = kind === 'secret' ? looksSecret(value, between === '=', /["'`]$/.test(between)) : isOpaque(value, name);
  return isHidden ? ['named', value] : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** XML elements, and variables of Dockerfiles and shells. */
const namedPlaces = [
  /(<([A-Za-z_][\w.:-]{1,60})(?:\s[^<>]{0,200})?>)([^<>\s]{4,})(?=<\/)/g,
  new RegExp(`${wordStart}((?:ENV|ARG|set -\\w{1,3}|setenv)\\s+([A-Z][A-Z0-9_]{1,60})\\s+)([^\\s\\x1b"'\`,;&()<>[\\]{}\\\\]{6,})`, 'g'),
];
const commands = [
  '(?:machine|login)\\s[^\\n]{0,200}?\\spassword\\s+',
  'curl\\s[^\\n]{0,200}?(?:-u|--user)[ =]?[\'"]?[^\\s:\'"]{1,100}:',
  'sshpass\\s+-p\\s*[\'"]?',
].map((before) => new RegExp(`${wordStart}(${before})([^\\s\\x1b"'\`\\\\]{4,})`, 'g'));

/** Hides secrets in base64 that is wrapped into lines, with real or JSON-escaped line breaks. */
export function redactWrapped(text: string, hide: HideSecret, isKnown?: (decoded: string) => boolean): string {
  // Most texts are shorter than one line of wrapped base64.
  if (text.length <= minLineLength) return text;
  return text.replace(wrapped, (block) =>
    splitBlocks(block)
      .map((lines) =>
        lines.length > 1 && containsSecret(lines.join('').replace(lineEnd, ''), isKnown) ? hide('encoded', lines.join('')) : lines.join(''),
      )
      .join(''),
  );
}

const minLineLength = 60;
const lineEnd = /\r?\n|(?:\\{1,9}r)?\\{1,9}n/g;
const wrapped =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|(?:\\{1,9}r)?\\{1,9}n))+(?:[A-Za-z0-9+/]{1,76}={0,2}(?![A-Za-z0-9+/=]))?/g;

/** Groups lines that belong together: lines of equal length, and a shorter one at the end. */
function splitBlocks(block: string): string[][] {
  const blocks: string[][] = [];
  for (const line of block.match(/[A-Za-z0-9+/=]+(?:\r?\n|(?:\\+r)?\\+n)?/g) ?? []) {
    const [first, ...rest] = blocks.at(-1) ?? [];
    const isWhole = first !== undefined && (rest.at(-1) ?? first).length === first.length;
    if (isWhole && line.length <= first.length) blocks.at(-1)!.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

const minOpaqueLength = 16;
const minEntropy = 3.5;

/** Checks for a long random value. A name, a path or a date is not one, and a value that is only called `key` may be a hash or an id. */
function isOpaque(value: string, name: string): boolean {
  if (value.length < minOpaqueLength || measureEntropy(value) < minEntropy || (/^keys?$/i.test(name) && isHashOrUuid(value))) return false;
  return value.split(/[-_./:]/).some((part) => part.length >= minOpaqueLength && /\d/.test(part) && /[A-Za-z]/.test(part));
}

const isHashOrUuid = (value: string): boolean => /^(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(value);

/** Measures the entropy of a value in bits per character. */
function measureEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
