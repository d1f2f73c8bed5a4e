/** Shapes that are secrets in any context. Each has a distinctive beginning: a shape that also matches hashes, ids or names would
 *  hide harmless text. A function, because most writes contain no text that is long enough for any of them. */
const getShapes = (): RegExp[] => [
  // Keys in files
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/,
  /---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[\s\S]*?(?:---- END SSH2 ENCRYPTED PRIVATE KEY ----|$)/,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/,
  /\bPrivate-Lines: \d+\s+[A-Za-z0-9+/=\s]{40,}/,
  // Clouds
  /\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bya29\.[A-Za-z0-9_-]{20,}/,
  /\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  /\b1\/\/0[A-Za-z0-9_-]{30,}/,
  /\bAccountKey=[A-Za-z0-9+/]{40,}={0,2}/,
  /\bSharedAccess(?:Key|Signature)=[^\s;"'\\]{20,}/,
  /\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{30,}/,
  /\bX-(?:Amz|Goog)-(?:Signature|Security-Token)=[A-Za-z0-9%+/=_-]{32,}/,
  /(?<=[?&]sig=)[A-Za-z0-9%+/=_-]{32,}/,
  /\bdo[opr]_v1_[a-f0-9]{40,}/,
  /\bHRKU-[A-Za-z0-9_-]{30,}/,
  /\bnfp_[A-Za-z0-9]{30,}/,
  /\bfm[12]_[A-Za-z0-9+/=_-]{40,}/,
  /\bvercel_[a-z]+_(?:[a-z]+_)?[A-Za-z0-9]{24,}/,
  /\brnd_[A-Za-z0-9]{24,}/,
  /\bsbp_[a-f0-9]{40}/,
  /\bsb_secret_[A-Za-z0-9_-]{20,}/,
  /\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{20,}/,
  /\bnapi_[a-z0-9]{40,}/,
  /\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/,
  /\bdapi[a-f0-9]{32}/,
  /\btskey-[a-z]+-[A-Za-z0-9-]{16,}/,
  /\bABSK[A-Za-z0-9+/]{60,}={0,2}/,
  /\bbedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}/,
  /\bLTAI[A-Za-z0-9]{20}\b/,
  /\bAQVN[A-Za-z0-9_-]{35,}/,
  /\bv[cb][pkia]_(?=[A-Za-z]*\d)[A-Za-z0-9]{40,}/,
  // CLEO
  /\bcleo_[A-Za-z0-9_-]{43}/,
  // Code and packages
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|ffct|imt|agent|oas)-[A-Za-z0-9_.-]{16,}/,
  /\bAT(?:ATT|CTT)3[A-Za-z0-9_=-]{20,}/,
  /\bATBB[A-Za-z0-9]{28,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\bpypi-[A-Za-z0-9_-]{50,}/,
  /\brubygems_[a-f0-9]{48}/,
  /\bcio[A-Za-z0-9]{32}\b/,
  /\boy2[a-z0-9]{43}\b/,
  /\bdckr_[po]at_[A-Za-z0-9_-]{20,}/,
  /\bCCIPAT_[A-Za-z0-9_]{20,}/,
  /\bbkua_[a-f0-9]{40}/,
  /\bpul-[a-f0-9]{40}/,
  // Azure DevOps has no prefix, but a mark near the end.
  /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/,
  /\bsq[apu]_[a-f0-9]{40}/,
  /\bAKC[a-z][A-Za-z0-9]{60,}/,
  /\bcmVmdGtu[A-Za-z0-9]{50,}/,
  /\bsgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}/,
  /\bst\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}/,
  /\bsha256~[A-Za-z0-9_-]{43}/,
  /\bpnu_[a-z0-9]{36}/,
  /\bddp_[A-Za-z0-9]{36}/,
  /\bCLOJARS_[a-z0-9]{60}/,
  /\bpat\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}/,
  /\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b/,
  /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/,
  /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/,
  /\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{30,}/,
  // Models
  /\bsk-(?:proj|svcacct|admin|None|ant|or|lf)-[A-Za-z0-9_-]{16,}/,
  /\bsk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}/,
  /\bsk_(?=[a-z]*\d)[a-z0-9]{40,}/,
  /\bhf_[A-Za-z0-9]{30,}/,
  /\bgsk_[A-Za-z0-9]{40,}/,
  /\bpplx-[A-Za-z0-9]{32,}/,
  /\bxai-[A-Za-z0-9]{40,}/,
  /\br8_[A-Za-z0-9]{30,}/,
  /\bpcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{40,}/,
  /\btvly-(?:[a-z]{3,5}-)?(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}/,
  /\bwandb_v\d_[A-Za-z0-9_]{40,}/,
  /\bf(?:w|pk)_(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}/,
  /\bnvapi-[A-Za-z0-9_-]{40,}/,
  /\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/,
  /\bls__[a-f0-9]{32}/,
  /\bpa-(?=[A-Za-z_-]{0,40}\d)(?=[a-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{40,}/,
  /\bjina_[a-f0-9]{32}[A-Za-z0-9_-]{20,}/,
  /\bcsk-[a-z0-9]{40,}/,
  /\btgp_v1_[A-Za-z0-9_-]{40,}/,
  /\bfc-[a-f0-9]{32}\b/,
  /\bapi_org_[A-Za-z0-9]{30,}/,
  // Services
  /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}/,
  /\bwhsec_[A-Za-z0-9+/]{20,}/,
  /\bxox[abcdeoprs]-[A-Za-z0-9%-]{10,}/,
  /\bxoxe\.xox[bp]-\d-[A-Za-z0-9]{40,}/,
  /\bxapp-\d-[A-Za-z0-9-]{20,}/,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[A-Za-z0-9_-]{20,}/,
  /\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/,
  /\b(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
  /\bwebhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{80,300}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bkey-[a-f0-9]{32}\b/,
  /\b[a-f0-9]{32}-us\d{1,2}\b/,
  /\bSK[a-f0-9]{32}\b/,
  /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/,
  /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/,
  /\bEAA[A-Za-z0-9]{80,}/,
  /\bAAAAAAAAA(?=[A-Za-z%]{0,60}\d)[A-Za-z0-9%]{60,}/,
  /\blin_(?:api|oauth)_[A-Za-z0-9]{30,}/,
  /\bsecret_[A-Za-z0-9]{43}\b/,
  /\bntn_[A-Za-z0-9]{40,}/,
  /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}/,
  /\bfigd_[A-Za-z0-9_-]{20,}/,
  /\bCFPAT-[A-Za-z0-9_-]{40,}/,
  /\bPMAK-[a-f0-9]{24}-[a-f0-9]{30,}/,
  /\bre_(?=[A-Za-z]*\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/,
  /\bpat-(?:na|eu|ap)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\btfp_[A-Za-z0-9_.=-]{40,}/,
  /\bsk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}/,
  /\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}/,
  /\bshippo_(?:live|test)_[a-f0-9]{40}/,
  /\bEZ[AT]K[A-Za-z0-9]{54}/,
  /\bduffel_(?:live|test)_[A-Za-z0-9_-]{40,}/,
  /\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}/,
  /\bphx_[A-Za-z0-9]{40,}/,
  /\brdme_[a-z0-9]{70}/,
  /\baio_[A-Za-z0-9]{28}\b/,
  /\bpolar_(?:oat|pat)_[A-Za-z0-9]{30,}/,
  /\bpdl_(?:live|sdbx)_apikey_[A-Za-z0-9_]{30,}/,
  /\baccess-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\bamzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\bsignkey-[a-z]+-[a-f0-9]{32,}/,
  /\baccess_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}/,
  /\bFLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}-X\b/,
  /\b[12]\/\d{10,20}:[a-f0-9]{32}\b/,
  /\bsl\.[A-Za-z0-9_-]{60,}/,
  /\bglsa_[A-Za-z0-9]{32}_[a-f0-9]{8}/,
  /\bglc_eyJ[A-Za-z0-9+/=]{30,}/,
  /\bNR(?:AK|II|JS|RA)-[A-Za-z0-9-]{20,}/,
  /\bsntry[us]_[A-Za-z0-9+/=_-]{40,}/,
  /\bops_eyJ[A-Za-z0-9_-]{50,}/,
  /\b(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/,
  // JWTs and HTTP credentials
  // The first part is bounded: a text of `eyJ…-eyJ…-` would otherwise be read to its end from each of them.
  /\beyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  /\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}/,
  /\b(?:Bearer|bearer|BEARER|Basic|basic|BASIC)\s+(?=[A-Za-z+/._~-]{0,200}\d)[A-Za-z0-9+/._~-]{16,}=*/,
  /(?<=[Aa]uthorization:\s{0,3}[Tt]oken\s{1,3})[A-Za-z0-9._~-]{16,}/,
];

let together: RegExp | undefined;

/** Matches the beginning of a word: also after `_` and after escapes that end in a letter or digit, as in JSON (`\\n`), URLs (`%20`)
 *  and terminal colors. */
export const wordStart =
  '(?:\\b|(?<=_|\\\\(?:[nrtbfv0e]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|(?:\\x1b|\\\\u001b|\\\\x1b|\\\\e|\\\\033)\\[[0-9;]{0,12}m))';

/** Returns one pattern for all shapes, so that a text is scanned once. */
export function getSecretPattern(): RegExp {
  together ??= joinPatterns(getShapes().map((shape) => shape.source));
  return together;
}

/** Longer texts are scanned faster by the pattern for all shapes, which takes 5 ms to compile. */
const maxQuickLength = 4000;
/** A process that checks more texts than this gains from the pattern for all shapes. */
const maxQuickTexts = 30;
let checkedTexts = 0;

interface ShapesByBeginning {
  /** What a text must contain to match a shape, and the sources of these shapes. */
  known: [beginnings: string[], source: string][];
  /** Matches the other shapes. */
  others: RegExp;
}

let byBeginning: ShapesByBeginning | undefined;

function groupByBeginning(): ShapesByBeginning {
  const sources = getShapes().map((shape) => shape.source);
  const known: ShapesByBeginning['known'] = [];
  for (const source of sources) {
    const beginnings = findBeginnings(source);
    if (beginnings) known.push([beginnings, source]);
  }
  return { known, others: joinPatterns(sources.filter((source) => !findBeginnings(source))) };
}

/** Returns the literals that a match begins with: one, or a choice of several. A quantifier would make the last character optional. */
export function findBeginnings(source: string): string[] | undefined {
  const rest = source.replace(/^\\b/, '');
  const choice = /^\(\?:([\w|-]+)\)(?![?*{])/.exec(rest)?.[1];
  if (choice !== undefined) return choice.split('|');
  const literal = /^(?:[\w -]|\\[./$])+(?![?*{+])/.exec(rest)?.[0].replaceAll('\\', '');
  return literal === undefined ? undefined : [literal];
}

/** Checks whether a text can contain one of the shapes. Most short texts do not, and finding that out here is a fifth of a start faster
 *  than with the pattern for all shapes. Once that pattern is compiled, it scans every text. */
export function mayContainSecret(text: string): boolean {
  if (together || text.length > maxQuickLength || checkedTexts === maxQuickTexts) return true;
  checkedTexts++;
  return matchesAnyShape(text);
}

/** Tests the shapes whose beginning is in the text one by one, and all shapes without a literal beginning at once. */
export function matchesAnyShape(text: string): boolean {
  byBeginning ??= groupByBeginning();
  const { known, others } = byBeginning;
  return (
    known.some(([beginnings, source]) => beginnings.some((one) => text.includes(one)) && text.search(joinPatterns([source])) >= 0) ||
    text.search(others) >= 0
  );
}

/** Joins the sources. Those that begin with `\b` share one check for the beginning of a word. */
function joinPatterns(sources: string[]): RegExp {
  const words = sources.filter((source) => source.startsWith('\\b')).map((source) => source.slice(2));
  const others = sources.filter((source) => !source.startsWith('\\b'));
  const inWords = words.length > 0 ? [`${wordStart}(?:${words.join('|')})`] : [];
  return new RegExp([...others, ...inWords].join('|'), 'g');
}

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

/** All patterns below match words that contain one of these. Other names are harmless, and most writes have no others: compiling the
 *  patterns takes 1 % of a start. */
const hint = /pass|pw|secret|credential|token|key|auth|private/;

/** Classifies the name of a field, parameter or variable. The audit log, traces and the redaction of texts share this rule. */
export function classifyName(name: string): SecretName | undefined {
  if (!hint.test(name.toLowerCase())) return undefined;
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
