import { sha256 } from './sha256.ts';

const secretName =
  /^(?:.*[_-])?(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|apikey|auth(?:orization)?|credential|private[_-]?key|access[_-]?key)s?$/i;

/** Shapes that are a secret wherever they stand. */
const secretShapes: RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{20,}/g,
  /\bdop_v1_[a-f0-9]{40,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9+/._~-]{16,}=*/g,
];

const urlPassword = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]+):[^\s@/]+@/gi;
const assignment =
  /\b((?:[A-Za-z0-9]+[_-])*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key))(["']?\s*[=:]\s*["']?)[^\s"',;]{6,}/gi;

/** A text without the secrets in it. */
export function redactText(text: string): string {
  let clean = text.replace(urlPassword, '$1:[redacted]@').replace(assignment, '$1$2[redacted]');
  for (const shape of secretShapes) clean = clean.replace(shape, '[redacted]');
  return clean;
}

const longest = 1000;
const deepest = 50;

/** Parameters as the audit log keeps them: secrets hidden, long texts as length and hash, what is nested too deep left out. */
export function redactParams(value: unknown, name = '', depth = 0): unknown {
  if (typeof value === 'string') {
    if (secretName.test(name)) return '[redacted]';
    return value.length > longest ? { length: value.length, sha256: sha256(value.toWellFormed()) } : redactText(value).toWellFormed();
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((item) => redactParams(item, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactText(key.slice(0, longest)).toWellFormed(), redactParams(item, key, depth + 1)]),
  );
}
