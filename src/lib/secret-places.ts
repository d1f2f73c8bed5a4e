import { containsSecret, type HideSecret, isPassword, looksSecret, passName, redactedMark, redactText, separator } from './redact.ts';
import { classifyAssignedName, wordStart } from './secrets.ts';

/** Hides secrets in the output of a program, by their shape and by their position. */
export const redactOutput = (text: string): string => redactPlaces(redactText(text), () => redactedMark);

/** Hides values that are secret by their position: in a header, after a name, in an XML element, after an option of a command.
 *  `redactText` hides values that are secret by their shape. */
export function redactPlaces(text: string, hide: HideSecret): string {
  if (!separator.test(text)) return text;
  let clean = text;
  if (/authorization/i.test(clean)) clean = hideBehind(clean, header, findHeaderSecret);
  if (/cookie/i.test(clean)) clean = hideBehind(clean, cookie, findCookies);
  if (/key|token|secret|pass|pw|credential|private|auth/i.test(clean)) {
    clean = hideBehind(clean, assigned, findAssignedSecret);
    for (const place of namedPlaces) clean = clean.replace(place, hideNamed);
  }
  if (/login|machine|default|curl|lftp|sshpass|mysql|mariadb/.test(clean))
    for (const place of commands) clean = clean.replace(place, hideArgument);
  if (commandHint.test(clean)) for (const place of passwordOptions) clean = clean.replace(place, hideOption);
  if (/:(?:\d{4,5}|\*):/.test(clean)) clean = clean.replace(pgpass, hidePgpass);
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

  function hideOption(all: string, before: string, value: string): string {
    // A port, a path, or another option.
    if (/^(?:\d{1,5}(?::\d{1,5})?$|-|[./~])/.test(value)) return all;
    return looksSecret(value, true, false) ? before + hide('named', value) : all;
  }

  function hidePgpass(all: string, before: string, port: string, value: string): string {
    return looksSecret(value, port !== '*' && Number(port) === 5432, false) ? before + hide('named', value) : all;
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
  if (/^[[<${%*]/.test(text.charAt(at))) return undefined;
  const one = matchAt(word, text, at);
  const several = scheme === '' || !/^[A-Za-z][\w-]*=\\*["\w/]/.test(text.slice(at, at + 100)) ? '' : matchAt(fields, text, at).trimEnd();
  if (several !== '') return ['header', several];
  const least = !/\d|[a-z][A-Z]|[=+/_]/.test(one) ? 20 : scheme === '' ? 16 : 8;
  return one.length >= least ? ['header', one] : undefined;
}

const cookie = new RegExp(
  `${wordStart}(?:set-)?cookies?2?\\\\{0,9}["'\`]?(?:\\s{0,3}[:=]\\s{0,3}|(?<=--cookie)\\s{1,3})(?:\\\\{0,9}["'\`])?`,
  'gi',
);
const cookiePairs = /(?:[\w.!#$%&*+^|~-]{1,100}=[^\s\x1b"'`\\,;]{0,4096}(?:;[ \t]{0,3})?){1,50}/y;

/** Finds the cookies of a request or answer. A value is long or has a digit; `theme=dark` is not hidden. */
function findCookies(text: string, at: number): FoundSecret {
  const pairs = matchAt(cookiePairs, text, at).replace(/;[ \t]*$/, '');
  // Attributes of Set-Cookie say nothing about a session.
  const end = pairs.search(/;[ \t]*(?:path|domain|expires|max-age|samesite|secure|httponly|partitioned)\b/i);
  const list = end < 0 ? pairs : pairs.slice(0, end);
  const isSecret = list.split(';').some((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1);
    return value.length >= (/\d/.test(value) ? 8 : 16) && !/^[[<${%*]/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value);
  });
  return isSecret ? ['header', list] : undefined;
}

const assigned = new RegExp(
  `${wordStart}([A-Za-z_][A-Za-z0-9_.-]{1,79})(\\\\{0,9}["'\`]?\\s{0,3}(?:=>|:=|[=:])\\s{0,3}(?:[|>][+-]?(?:\\n|\\\\{1,9}n)\\s{1,20})?(?:\\x1b\\[[0-9;]{0,12}m)?\\\\{0,9}["'\`]?)`,
  'g',
);
const assignedValue = /[^\s\x1b"'`,;&()<>[\]{}\\]{6,}/y;
/** The length by which a value is judged. In `key=key=…` every value is the rest of the text, which must not be read once per name. */
const maxJudgedLength = 200;
const judgedValue = /[^\s\x1b"'`,;&()<>[\]{}\\]{6,200}/y;

function findAssignedSecret(text: string, at: number, name: string, between: string): FoundSecret {
  const kind = classifyAssignedName(name);
  const value = kind === undefined ? '' : matchAt(judgedValue, text, at);
  if (value === '') return undefined;
  const isQuoted = /["'`]$/.test(between);
  const isPass = passName.test(name);
  const isHidden = isPass
    ? isPassword(value, between.trim() === '=' && !/\s/.test(between), isQuoted)
    : kind === 'secret'
      ? looksSecret(value, between === '=', isQuoted)
      : isOpaque(value, name) && !(/^keys?$/i.test(name) && isIdentifierKey(text.slice(Math.max(0, at - 60), at)));
  if (!isHidden) return undefined;
  return ['named', value.length < maxJudgedLength ? value : matchAt(assignedValue, text, at)];
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Checks whether the words before `key:` make it a key of a cache or a table. */
const isIdentifierKey = (before: string): boolean =>
  /\b(?:cache|restored?|primary|foreign|partition|sort|public|idempotency|lookup|hash|dedupe|object|from|saved?|matched) key\b/i.test(
    before,
  );

/** XML elements, variables of Dockerfiles and shells, of containers in YAML and JSON, and constants of PHP. */
const namedPlaces = [
  /(\bname["']?:[ \t]{0,3}["']?([A-Za-z_][A-Za-z0-9_]{1,60})["']?,?\s{0,40}["']?value["']?:[ \t]{0,3}["']?)([^\s\x1b"'`,;&()<>[\]{}\\]{6,})/g,
  /(\bdefine\(\s{0,3}["']([A-Za-z_][A-Za-z0-9_]{1,60})["'],\s{0,3}["'])([^\s\x1b"'`\\]{6,})/g,
  /(<([A-Za-z_][\w.:-]{1,60})(?:\s[^<>]{0,200})?>)([^<>\s]{4,})(?=<\/)/g,
  new RegExp(`${wordStart}((?:ENV|ARG|set -\\w{1,3}|setenv)\\s+([A-Z][A-Z0-9_]{1,60})\\s+)([^\\s\\x1b"'\`,;&()<>[\\]{}\\\\]{6,})`, 'g'),
];
const commands = [
  '(?:machine|login)\\s[^\\n]{0,200}?\\spassword\\s+',
  'curl\\s[^\\n]{0,200}?(?:-u|--user)[ =]?[\'"]?[^\\s:\'"]{1,100}:',
  'sshpass\\s+-p\\s*[\'"]?',
  'lftp\\s[^\\n]{0,200}?(?:-u|--user)[ =]?[\'"]?[^\\s,\'"]{1,100},',
  // With a space, `-p` of MySQL asks for the password, and a name of a database follows; people write a password there all the same.
  '(?:mysql|mariadb)\\w{0,10}\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-p\\s[\'"]?',
  // A .netrc in several lines.
  '(?:machine\\s+\\S{1,200}|default)\\s+(?:(?:login|account)\\s+\\S{1,200}\\s+){1,2}password\\s+',
].map((before) => new RegExp(`${wordStart}(${before})([^\\s\\x1b"'\`\\\\]{4,})`, 'g'));

const commandHint = /mysql|mariadb|mongo|redis-cli|login|sshpass|ldap|sqlcmd|smbclient|zip|7z|openssl|htpasswd|psql|snmp|winexe|rclone/;
/** Options that take a password, of the programs that have them. `-p` is a port or a folder for many others. */
const passwordOptions = [
  '(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-p[\'"]?',
  '(?:mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|sshpass)\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-p\\s?[\'"]?',
  '(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|crane auth|az|az acr|oc|cf|heroku|registry|npm|gh|vault|argocd|ibmcloud)\\s+login\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-p[ =]?[\'"]?',
  'redis-cli\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?(?:-a|--pass)\\s?[\'"]?',
  '(?:ldapsearch|ldapmodify|ldapadd|ldapwhoami)\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-w\\s?[\'"]?',
  '(?:sqlcmd|bcp|zip|unzip)\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-P\\s?[\'"]?',
  '7z[ar]?\\s(?:[^\\n|;&"\'`]{0,200}?\\s)?-p[\'"]?',
  'openssl\\s[^\\n|;&"\'`]{0,200}?\\s-pass(?:in|out)?\\s+pass:',
  'smbclient\\s[^\\n|;&"\'`]{0,200}?-U\\s?[^\\s%]{1,100}%',
  'htpasswd\\s+-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}\\s+\\S{1,200}\\s+\\S{1,100}\\s+',
].map((before) => new RegExp(`${wordStart}(${before})([^\\s\\x1b"'\`\\\\]{4,})`, 'g'));
/** A line of .pgpass: host, port, database, user and password. */
const pgpass = /^((?:[A-Za-z0-9*][A-Za-z0-9.*_-]{0,200}):(\d{4,5}|\*):[A-Za-z*_][^\s:]{0,100}:[A-Za-z*_][^\s:]{0,100}:)([^\s:]{4,200})$/gm;

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
    const block = blocks.at(-1);
    const first = block?.[0];
    const isWhole = first !== undefined && block!.at(-1)!.length === first.length;
    if (isWhole && line.length <= first.length) block!.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

const minOpaqueLength = 16;
const minEntropy = 3.5;

/** Checks for a long random value. A name, a path or a date is not one, and a value that is only called `key` may be a hash or an id. */
function isOpaque(value: string, name: string): boolean {
  if (value.length < minOpaqueLength || measureEntropy(value) < minEntropy || (/^keys?$/i.test(name) && isHashOrUuid(value))) return false;
  const isBareKey = /^keys?$/i.test(name);
  return value
    .split(/[-_./:]/)
    .some((part) => part.length >= minOpaqueLength && /\d/.test(part) && /[A-Za-z]/.test(part) && !(isBareKey && /^[0-9a-f]+$/.test(part)));
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
