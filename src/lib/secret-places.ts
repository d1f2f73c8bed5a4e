import { type Hide, holdsSecret, isSecret, separator } from './redact.ts';
import { kindOfName } from './secret-names.ts';
import { wordStart } from './secrets.ts';

/** A text without what is secret by the place where it stands: in a header, behind a name, in an element, behind the option of a command.
 *  Shapes that are secret anywhere are looked for elsewhere. */
export function hidePlaces(text: string, hide: Hide): string {
  if (!separator.test(text)) return text;
  let clean = text;
  if (/authorization/i.test(clean)) clean = hideBehind(clean, header, inHeader);
  if (/key|token|secret|pass|credential|private|auth/i.test(clean)) {
    clean = hideBehind(clean, assigned, inAssignment);
    for (const place of namedPlaces) clean = clean.replace(place, namedHidden);
  }
  if (/login|machine|curl|sshpass/.test(clean)) for (const place of commands) clean = clean.replace(place, commandHidden);
  return clean;

  /** Place by place: what stands in one that says nothing may be another that does. */
  function hideBehind(text: string, place: RegExp, secretAt: (text: string, at: number, ...found: string[]) => Told): string {
    let done = 0;
    let out = '';
    for (const found of text.matchAll(place)) {
      const at = found.index + found[0].length;
      const told = at < done ? undefined : secretAt(text, at, ...found.slice(1).map((one) => one ?? ''));
      if (!told) continue;
      out += text.slice(done, at) + hide(...told);
      done = at + told[1].length;
    }
    return out + text.slice(done);
  }

  function commandHidden(all: string, before: string, value: string): string {
    return isSecret(value, false, false) ? before + hide('named', value) : all;
  }

  function namedHidden(all: string, before: string, name: string, value: string): string {
    return kindOfName(name) === 'telling' && isSecret(value, false, false) ? before + hide('named', value) : all;
  }
}

type Told = ['header' | 'named', string] | undefined;

const header = new RegExp(
  `${wordStart}(?:proxy-)?authorization\\\\{0,9}["'\`]?\\s{0,3}[:=]\\s{0,3}(\\\\{0,9}["'\`])?([A-Za-z]{2,12}(?:\\d?-[A-Za-z0-9]{1,8}){0,2}[ \\t]+)?`,
  'gi',
);
const fields = /(?:[A-Za-z][\w-]*=(?:\\{0,9}"[^"\n]*"|[^\s\x1b"'`\\,;]+)[,;]?[ \t]*)+/y;
const word = /[^\s\x1b"'`\\,;]+/y;

/** What follows a scheme, be it one word or several fields; without a scheme, what is long and not just letters. */
function inHeader(text: string, at: number, _quote: string, scheme: string): Told {
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

function inAssignment(text: string, at: number, name: string, between: string): Told {
  const kind = kindOfName(name);
  const value = kind === undefined ? '' : matchAt(assignedValue, text, at);
  if (value === '') return undefined;
  const isHidden = kind === 'telling' ? isSecret(value, between === '=', /["'`]$/.test(between)) : isOpaque(value, name);
  return isHidden ? ['named', value] : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Elements, and how images and shells are told of a variable. */
const namedPlaces = [
  /(<([A-Za-z_][\w.:-]{1,60})(?:\s[^<>]{0,200})?>)([^<>\s]{4,})(?=<\/)/g,
  new RegExp(`${wordStart}((?:ENV|ARG|set -\\w{1,3}|setenv)\\s+([A-Z][A-Z0-9_]{1,60})\\s+)([^\\s\\x1b"'\`,;&()<>[\\]{}\\\\]{6,})`, 'g'),
];
const commands = [
  '(?:machine|login)\\s[^\\n]{0,200}?\\spassword\\s+',
  'curl\\s[^\\n]{0,200}?(?:-u|--user)[ =]?[\'"]?[^\\s:\'"]{1,100}:',
  'sshpass\\s+-p\\s*[\'"]?',
].map((before) => new RegExp(`${wordStart}(${before})([^\\s\\x1b"'\`\\\\]{4,})`, 'g'));

/** A text without what was encoded and then broken into lines, real ones or as JSON writes them. */
export function hideWrapped(text: string, hide: Hide, isKnown?: (decoded: string) => boolean): string {
  // A line of what is wrapped is longer than most texts are.
  if (text.length <= shortestLine) return text;
  return text.replace(wrapped, (block) =>
    blocksOf(block)
      .map((lines) =>
        lines.length > 1 && holdsSecret(lines.join('').replace(lineEnd, ''), isKnown) ? hide('encoded', lines.join('')) : lines.join(''),
      )
      .join(''),
  );
}

const shortestLine = 60;
const lineEnd = /\r?\n|(?:\\{1,9}r)?\\{1,9}n/g;
const wrapped =
  /(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|(?:\\{1,9}r)?\\{1,9}n))+(?:[A-Za-z0-9+/]{1,76}={0,2}(?![A-Za-z0-9+/=]))?/g;

/** Lines of one length, and a shorter one at their end, were broken by one hand. */
function blocksOf(block: string): string[][] {
  const blocks: string[][] = [];
  for (const line of block.match(/[A-Za-z0-9+/=]+(?:\r?\n|(?:\\+r)?\\+n)?/g) ?? []) {
    const [first, ...rest] = blocks.at(-1) ?? [];
    const isWhole = first !== undefined && (rest.at(-1) ?? first).length === first.length;
    if (isWhole && line.length <= first.length) blocks.at(-1)!.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

const shortest = 16;
const leastBits = 3.5;

/** Long and without order, and more than a name, a path or a date: one part of it is. What is only called a key may be a hash or an id. */
function isOpaque(value: string, name: string): boolean {
  if (value.length < shortest || bitsOf(value) < leastBits || (/^keys?$/i.test(name) && isIdentity(value))) return false;
  return value.split(/[-_./:]/).some((part) => part.length >= shortest && /\d/.test(part) && /[A-Za-z]/.test(part));
}

const isIdentity = (value: string): boolean => /^(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(value);

/** Of information, for each character. */
function bitsOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
