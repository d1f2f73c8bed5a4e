/** Shapes that are secrets in any context. Each has a distinctive beginning: a shape that also matches hashes, ids or names would
 *  hide harmless text. */
const shapes: RegExp[] = [
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
  // CLEO
  /\bcleo_[A-Za-z0-9_-]{43}/,
  // Code and packages
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|ffct|imt|agent|oas)-[A-Za-z0-9_.-]{16,}/,
  /\bATATT3[A-Za-z0-9_=-]{20,}/,
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
  // Services
  /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{10,}/,
  /\bwhsec_[A-Za-z0-9+/]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bxapp-\d-[A-Za-z0-9-]{20,}/,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,}/,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[A-Za-z0-9_-]{20,}/,
  /\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bkey-[a-f0-9]{32}\b/,
  /\b[a-f0-9]{32}-us\d{1,2}\b/,
  /\bSK[a-f0-9]{32}\b/,
  /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/,
  /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{20,}/,
  /\bEAA[A-Za-z0-9]{80,}/,
  /\bAAAAAAAAA(?=[A-Za-z%]*\d)[A-Za-z0-9%]{60,}/,
  /\blin_(?:api|oauth)_[A-Za-z0-9]{30,}/,
  /\bsecret_[A-Za-z0-9]{43}\b/,
  /\bntn_[A-Za-z0-9]{40,}/,
  /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}/,
  /\bfigd_[A-Za-z0-9_-]{20,}/,
  /\bCFPAT-[A-Za-z0-9_-]{40,}/,
  /\bPMAK-[a-f0-9]{24}-[a-f0-9]{30,}/,
  /\bsl\.[A-Za-z0-9_-]{60,}/,
  /\bglsa_[A-Za-z0-9]{32}_[a-f0-9]{8}/,
  /\bglc_eyJ[A-Za-z0-9+/=]{30,}/,
  /\bNR(?:AK|II|JS|RA)-[A-Za-z0-9-]{20,}/,
  /\bsntry[us]_[A-Za-z0-9+/=_-]{40,}/,
  /\bops_eyJ[A-Za-z0-9_-]{50,}/,
  /\b(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/,
  // JWTs and HTTP credentials
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}/,
  /\b(?:Bearer|bearer|BEARER|Basic|basic|BASIC)\s+(?=[A-Za-z+/._~-]*\d)[A-Za-z0-9+/._~-]{16,}=*/,
  /(?<=[Aa]uthorization:\s*[Tt]oken\s+)[A-Za-z0-9._~-]{16,}/,
];

let together: RegExp | undefined;

/** Matches the beginning of a word: also after `_` and after escapes that end in a letter or digit, as in JSON (`\\n`), URLs (`%20`)
 *  and terminal colors. */
export const wordStart =
  '(?:\\b|(?<=_|\\\\(?:[nrtbfv0e]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|(?:\\x1b|\\\\u001b|\\\\x1b|\\\\e|\\\\033)\\[[0-9;]{0,12}m))';

/** Returns one pattern for all shapes, so that a text is scanned once. */
export function getSecretPattern(): RegExp {
  together ??= joinPatterns(shapes.map((shape) => shape.source));
  return together;
}

/** Joins the sources. Those that begin with `\b` share one check for the beginning of a word. */
function joinPatterns(sources: string[]): RegExp {
  const words = sources.filter((source) => source.startsWith('\\b')).map((source) => source.slice(2));
  const others = sources.filter((source) => !source.startsWith('\\b'));
  return new RegExp(`${others.join('|')}|${wordStart}(?:${words.join('|')})`, 'g');
}
