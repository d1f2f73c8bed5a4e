import { isPlainObject } from '#lib/collections.ts';
import { isDeeperThan, parseJson } from '#lib/parse-json.ts';
import { classifyExitCode } from '../errors/skill.ts';
import type { ExitCodeNames, SkillSpec } from '../model/construct.ts';
import type { Artifact, ExecutionStatus, SideEffect, SkillEvidence, Warning } from '../model/execution.ts';
import { type ExitClass, exitNames } from '../model/skill-exit.ts';

/** The files of a skill that decide how it runs. `nonExecutable` is a program without the execute permission. */
export interface SkillLocation {
  folder?: string;
  command?: string[];
  nonExecutable?: string;
}

type SkillCommand = { argv: string[] } | { code: 126 | 127; name: 'not_executable' | 'not_found'; problem: string };

/** The command that runs a skill: `run` of the manifest, the skill's own program, or else the executor. */
export function resolveSkillCommand(
  { name, path, run }: Pick<SkillSpec, 'name' | 'path' | 'run'>,
  { folder, command, nonExecutable }: SkillLocation,
  executor: string[] | undefined,
): SkillCommand {
  if (run) return { argv: run };
  if (folder === undefined) {
    const searched = path ?? '.cleo/skills, .claude/skills and skills';
    return { code: 127, name: 'not_found', problem: `there is no skill ${name} (looked in ${searched})` };
  }
  const argv = command ?? executor;
  if (argv) return { argv };
  const reason = nonExecutable
    ? `${nonExecutable} is not executable (chmod +x)`
    : `${folder} has nothing to run (run, run.sh, run.mjs or run.py)`;
  return { code: 126, name: 'not_executable', problem: `${reason}, and there is no execution.executor` };
}

export const isOptionalAndAbsent = ({ required, run }: Pick<SkillSpec, 'required' | 'run'>, { folder }: SkillLocation): boolean =>
  !required && run === undefined && folder === undefined;

/** The meaning of a skill's exit code. Each code from 0 to 255 has exactly one class. */
export interface ExitMeaning {
  code: number;
  name: string;
  class: ExitClass;
  status: ExecutionStatus;
  action: string;
}

const actions: Record<ExitClass, string> = {
  success: 'proceed',
  soft: 'retry',
  partial: 'review_output',
  permanent: 'fix_invocation',
  precondition: 'fix_inputs',
  temporary: 'retry_later',
  internal: 'alert_maintainer',
  blocked: 'wait_or_escalate',
  timeout: 'raise_limit',
  escalate: 'review',
  validation: 'review_output',
  config: 'alert_maintainer',
  signal: 'investigate',
  unknown: 'investigate',
};

/** Classes that are retried by default. */
export const defaultRetryOn: ExitClass[] = ['soft', 'temporary'];

function toExecutionStatus(code: number, exitClass: ExitClass): ExecutionStatus {
  if (exitClass === 'success') return 'success';
  if (exitClass === 'partial' || (exitClass === 'soft' && code === 3)) return 'partial';
  if (exitClass === 'blocked' || exitClass === 'escalate') return 'blocked';
  return exitClass === 'timeout' ? 'timeout' : 'failure';
}

/** The exit code with this conventional name. */
function findCodeByName(name: string): number | undefined {
  const entry = Object.entries(exitNames).find(([, standardName]) => standardName === name);
  return entry && Number(entry[0]);
}

/** The standard class of a name, so that a code that an author names `blocked` is treated as blocked. */
export function findClassByName(name: string): ExitClass | undefined {
  const code = findCodeByName(name);
  return code === undefined ? undefined : classifyExitCode(code);
}

/** Explains the exit code of an execution that the runner stopped. Authors may rename the code, but cannot turn it into success. */
export function explainRunnerExit(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const meaning = explainExit(code, ...overrides);
  return meaning.class === 'success' ? explainExit(code) : meaning;
}

/** Explains an exit code. Names of the manifest replace the standard ones, and later overrides win. */
export function explainExit(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const override = overrides.map((one) => one[code]).findLast((one) => one !== undefined);
  const exitClass = override?.class ?? (override && findClassByName(override.name)) ?? classifyExitCode(code);
  const signal = code >= 129 && code <= 192 ? `signal_${code - 128}` : undefined;
  return {
    code,
    name: override?.name ?? exitNames[code] ?? signal ?? 'unknown',
    class: exitClass,
    // A code with the standard name of another code is treated like that one.
    status: toExecutionStatus((override && findCodeByName(override.name)) ?? code, exitClass),
    action: actions[exitClass],
  };
}

/** Codes reserved for frameworks. A skill that exits with one gets a warning. */
export const isReservedExitCode = (code: number): boolean => code >= 100 && code <= 125;

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
