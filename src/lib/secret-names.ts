/** `secret`: every value is hidden. `possible`: the value is hidden if it is long enough to be a secret. */
export type SecretName = 'secret' | 'possible';

/** Qualifiers that make a key a secret: `signingKey`, `master_key`. Keys with other qualifiers are only possible secrets. */
const secretKeys = 'api|access|private|secret|auth|signing|encryption|account|deploy|master|session|shared|ssh';
/** Qualifiers of keys that are identifiers: `primaryKey`, `cache-key`. */
const identifierKeys = /^(?:public|cache|primary|foreign|sort|partition|idempotency|host|group|lock|object|index|row|unique|map)$/;
/** Suffixes after which the name still means the value itself: `dbPasswordProd`, `token_2`. */
const suffixes = 'base|value|raw|plain|text|current|old|new|prod|dev|test|live|material|\\d+';
/** Last words that make a name a number: `token_count`. */
const countWord = /^(?:count|counts|limit|budget|usage|used|total|estimate|est|length|size)$/;

// `PWD` is a working directory unless something precedes it.
const secretWord = new RegExp(
  `password|passwd|passphrase|secret(?!ar)|credential|token$|^authorization$|(?:${secretKeys})keys?$|(?<!^|^old)pwd$`,
);
const possibleEnding = /^(?:keys?|tokens|pass|pwd|pw)$/;
const possibleWord = /^(?:o?auth|authentication|private)$/;
const secretKeyQualifier = new RegExp(`^(?:${secretKeys})$`);
/** Qualifiers with which `pass` is a step, not a password: `first_pass`, `render_pass`. */
const stepQualifier =
  /^(?:first|second|third|last|next|final|single|double|multi|one|two|by|render|lint|test|tests|build|compile|optimizer|shader|high|low|band|must|should|did|will|can|all|not|to|full|partial|quick|dry)$/;
const suffixWord = new RegExp(`^(?:${suffixes})$`);

/** Pattern source of the same names in front of a value in a text: `api_key`, `clientSecret`, `PASSWORD_PROD`. */
export const secretNamePattern = `(?:(?:password|passwd|passphrase|secret|credential|(?:${secretKeys})[_-]?key)s?|pwd|pass|pw|token)(?:[_-]?(?:${suffixes}))?`;

const hints = ['pass', 'pw', 'secret', 'credential', 'token', 'key'];
/** Checks a text in lower case for a part of a secret name in front of a value. A list, because a pattern takes ten times as long when it is
 *  used first. */
export const hasHint = (text: string): boolean => hints.some((hint) => text.includes(hint));
/** All patterns of names match words that contain one of these. Other names are harmless, and most writes have no others: compiling the
 *  patterns takes 1 % of a start. */
const mayBeSecret = (name: string): boolean => hasHint(name) || name.includes('auth') || name.includes('private');

/** Classifies the name of a field, parameter or variable. The audit log, traces and the redaction of texts share this rule. */
export function classifyName(name: string): SecretName | undefined {
  if (!mayBeSecret(name.toLowerCase())) return undefined;
  const words = splitWords(name);
  if (isCountName(name)) return undefined;
  if (words.some((word) => secretWord.test(word))) return 'secret';
  return classifyEnding(words) ?? (words.some((word) => possibleWord.test(word)) ? 'possible' : undefined);
}

/** Classifies the name in front of a value in a text by its last word only: `password_hash = …` is not a password. */
export function classifyAssignedName(name: string): SecretName | undefined {
  const words = splitWords(name);
  // Authorization headers have a syntax of their own, see `redactPlaces`.
  return words.at(-1) === 'authorization' ? undefined : classifyEnding(words);
}

function classifyEnding(words: string[]): SecretName | undefined {
  const end = words.findLastIndex((word, i) => i === 0 || !suffixWord.test(word));
  const [last = '', qualifier = ''] = [words[end], words[end - 1]];
  const isKey = /^keys?$/.test(last);
  if (
    secretWord.test(last) ||
    (isKey && secretKeyQualifier.test(qualifier)) ||
    (/^(?:pass|pw)$/.test(last) && qualifier !== '' && !stepQualifier.test(qualifier))
  )
    return 'secret';
  if (isKey && identifierKeys.test(qualifier)) return undefined;
  if (/^(?:pass|pw)$/.test(last) && stepQualifier.test(qualifier)) return undefined;
  return possibleEnding.test(last) || possibleWord.test(last) ? 'possible' : undefined;
}

/** Checks whether a name says how many or how much, as `token_count` does. */
export const isCountName = (name: string): boolean => countWord.test(splitWords(name).at(-1) ?? '');

/** Checks whether the value of a name has to be hidden. Names of settings such as `store.url` are not secrets. */
export function isSecretValue(kind: SecretName | undefined, value: string): boolean {
  if (kind !== 'possible') return kind === 'secret' && value !== '';
  return value.length >= minPossibleLength && !/^[a-z]\w{0,30}(?:\.[\w-]{1,30}){1,4}$/i.test(value);
}

const minPossibleLength = 8;

function splitWords(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.replace(/(?<=[a-z])\d+$/, ''));
}
