import { isPlainObject } from '#lib/is-plain-object.ts';
import { isDeeperThan, parseJson } from '#lib/parse-json.ts';
import type { Artifact, SideEffect, SkillEvidence, Warning } from '../model/execution.ts';

/** The result file that a skill may write. All fields are optional, and none decides the outcome. */
export interface SkillClaim {
  confidence: number | null;
  goalStatement: string | null;
  evidence: SkillEvidence[];
  warnings: Warning[];
  sideEffects: SideEffect[];
  /** Addresses and references. Files are found by their changes. */
  artifacts: Artifact[];
  usage: Record<string, number> | null;
  retryAfterMs: number;
  isReviewRequested: boolean;
  status: string | null;
}

export const emptyClaim: SkillClaim = {
  confidence: null,
  goalStatement: null,
  evidence: [],
  warnings: [],
  sideEffects: [],
  artifacts: [],
  usage: null,
  retryAfterMs: 0,
  isReviewRequested: false,
  status: null,
};

const maxItems = 100;
const maxTextLength = 2000;

/** Redacts secrets. It runs before texts are truncated, because half a secret would not be recognised. */
type Redact = (value: unknown) => unknown;
const keepAsIs: Redact = (value) => value;

/** Parses the result file of a skill. Invalid fields are reported and ignored. */
export function parseClaim(text: string, redact: Redact = keepAsIs): { claim: SkillClaim; problems: string[] } {
  const value = redact(parseJson(text));
  if (!isPlainObject(value)) return { claim: emptyClaim, problems: ['is not a JSON object'] };
  const problems: string[] = [];
  const readField = <T>(name: string, read: (found: unknown) => T | undefined, fallback: T): T => {
    if (value[name] === undefined || value[name] === null) return fallback;
    const found = read(value[name]);
    if (found === undefined) problems.push(`${name} is invalid`);
    return found ?? fallback;
  };
  const readList =
    <T>(read: (item: unknown) => T | undefined) =>
    (found: unknown): T[] | undefined =>
      Array.isArray(found) ? found.slice(0, maxItems).flatMap((item) => read(item) ?? []) : undefined;
  return {
    claim: {
      confidence: readField('confidence', (found) => (typeof found === 'number' && found >= 0 && found <= 1 ? found : undefined), null),
      goalStatement: readField('goal_statement', toText, null),
      evidence: readField('evidence', readList(toEvidence), []),
      warnings: readField('warnings', readList(toWarning), []),
      sideEffects: readField('side_effects', readList(toSideEffect), []),
      artifacts: readField('artifacts', readList(toReportedArtifact), []),
      usage: readField('usage', pickNumbers, null),
      retryAfterMs: readField(
        'retry_after_ms',
        (found) => (typeof found === 'number' && found >= 0 && found <= 3_600_000 ? found : undefined),
        0,
      ),
      isReviewRequested: readField('human_review_requested', (found) => (typeof found === 'boolean' ? found : undefined), false),
      status: readField('status', toText, null),
    },
    problems,
  };
}

/** Parses one line of a skill's event stream. */
export function parseSkillEvent(
  line: string,
  redact: Redact = keepAsIs,
): { type: 'progress' | 'artifact' | 'side_effect' | 'warning'; message: string; value: Record<string, unknown> } | undefined {
  const value = redact(parseJson(line));
  if (!isPlainObject(value)) return undefined;
  const type = (['progress', 'artifact', 'side_effect', 'warning'] as const).find((known) => known === value.type);
  const message = toText(value.message ?? value.path ?? value.target ?? value.description);
  return type === undefined || message === undefined ? undefined : { type, message, value };
}

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxTextLength) : undefined;

function toEvidence(value: unknown): SkillEvidence | undefined {
  if (typeof value === 'string') return { type: 'note', description: value.slice(0, maxTextLength), reference: null };
  if (!isPlainObject(value)) return undefined;
  const description = toText(value.description) ?? toText(value.reference);
  return description === undefined
    ? undefined
    : { type: toText(value.type) ?? 'note', description, reference: toText(value.reference) ?? null };
}

function toWarning(value: unknown): Warning | undefined {
  if (typeof value === 'string') return { code: 'skill_warning', message: value.slice(0, maxTextLength) };
  const message = isPlainObject(value) ? toText(value.message) : undefined;
  return message === undefined ? undefined : { code: toText((value as Record<string, unknown>).code) ?? 'skill_warning', message };
}

export function toSideEffect(value: unknown): SideEffect | undefined {
  if (!isPlainObject(value)) return undefined;
  const kind = (['file_write', 'api_call', 'state_change', 'notification'] as const).find(
    (known) => known === value.type || known === value.kind,
  );
  const target = toText(value.target);
  if (kind === undefined || target === undefined) return undefined;
  return { type: kind, target, reversible: value.reversible === true, description: toText(value.description) ?? '' };
}

/** Reads an artifact that is not a file: `{type: "url" | "reference", path, content_type?, size_bytes?, checksum?, metadata?}`. In an event,
 *  whose `type` is `artifact`, the type is in `kind`; without one, a path such as `https://…` is a url. Undefined for a file. */
export function toReportedArtifact(value: unknown): Artifact | undefined {
  if (!isPlainObject(value)) return undefined;
  const path = toText(value.path) ?? toText(value.target);
  const given = (['url', 'reference', 'file'] as const).find((known) => known === value.kind || known === value.type);
  const type = given ?? (/^[a-z][a-z0-9+.-]*:\/\//i.test(path ?? '') ? 'url' : 'file');
  if (path === undefined || type === 'file') return undefined;
  const { size_bytes: size } = value;
  return {
    type,
    path,
    content_type: toText(value.content_type) ?? 'application/octet-stream',
    size_bytes: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : 0,
    checksum: toText(value.checksum) ?? '',
    metadata: isPlainObject(value.metadata) ? value.metadata : {},
  };
}

export function pickNumbers(value: unknown): Record<string, number> | undefined {
  if (!isPlainObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1])),
  );
}

/** A deeper value is kept as text, because recursive readers would overflow the stack. */
export const maxDepth = 200;

/** Parses the output of a skill: a JSON value or else text; null if it printed nothing. */
export function parsePrimary(stdout: Uint8Array): unknown {
  const text = new TextDecoder().decode(stdout);
  if (text.trim() === '') return null;
  const value = parseJson(text);
  return value === undefined || isDeeperThan(value, maxDepth) ? text : value;
}
