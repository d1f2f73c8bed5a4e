import { mean } from '#lib/statistics.ts';
import type { ArtifactFile, ResolvedArtifact } from '../../model/artifact.ts';
import type { Completeness, SectionScore } from '../../model/doc-schema.ts';
import { type Check, type CheckFailure, type GateResult, type RunGateName, runGateNames } from '../../model/execution.ts';
import type { ExitMeaning } from '../skill-contract.ts';

/** A check with its remediation. */
export interface GateCheck extends Check {
  remediation?: string;
  /** True if a failure is reported but does not fail the gate. */
  isAdvisory?: true;
}

interface CheckEvidence {
  path?: string;
  line?: number;
  expected?: unknown;
  actual?: unknown;
}

export const createCheck = (
  name: string,
  passed: boolean,
  message: string,
  evidence: CheckEvidence = {},
  remediation?: string,
): GateCheck => ({
  name,
  passed,
  message,
  evidence: {
    path: evidence.path ?? null,
    line: evidence.line ?? null,
    expected: evidence.expected ?? null,
    actual: evidence.actual ?? null,
  },
  ...(remediation === undefined || passed ? {} : { remediation }),
});

/** The result of a gate. All checks run, even after the first failure. */
export function toGateResult(name: RunGateName, checks: GateCheck[], severity: GateResult['severity'], checkedAt: string): GateResult {
  const failed = checks.filter(({ passed, isAdvisory }) => !passed && !isAdvisory);
  return {
    gate: toGateNumber(name),
    name,
    passed: failed.length === 0,
    checked_at: checkedAt,
    details: {
      checks_performed: checks.map(({ name, passed, message, evidence }) => ({ name, passed, message, evidence })),
      failures: failed.map(toCheckFailure),
    },
    status: failed.length === 0 ? 'passed' : 'failed',
    severity,
  };
}

/** The result of a gate whose checks did not run. */
export const createUncheckedGate = (
  name: RunGateName,
  status: 'skipped' | 'not_reached' | 'pending' | 'error',
  checkedAt: string,
): GateResult => ({
  gate: toGateNumber(name),
  name,
  passed: status === 'skipped',
  checked_at: checkedAt,
  details: { checks_performed: [], failures: [] },
  status,
  severity: 'block',
});

const toGateNumber = (name: RunGateName): GateResult['gate'] => runGateNames.indexOf(name) as GateResult['gate'];

/** Marks a failed gate as passed with --force. */
export const overrideGate = (result: GateResult): GateResult => ({ ...result, status: 'passed', passed: true, overridden: true });

export const isBlocking = ({ passed, severity }: GateResult): boolean => !passed && severity === 'block';

const toCheckFailure = ({ name, message, evidence, remediation }: GateCheck): CheckFailure => ({
  name,
  message,
  evidence,
  remediation: remediation ?? null,
});

interface AttemptFacts {
  meaning: ExitMeaning;
  /** The timeout of the attempt, if it was exceeded. */
  timedOutMs: number | undefined;
  leaked: number;
  isTruncated: boolean;
}

/** Checks how an attempt ended. Leaked processes and truncated output are advisory. */
export const checkExecution = ({ meaning, timedOutMs, leaked, isTruncated }: AttemptFacts): GateCheck[] => [
  createCheck(
    'exit_code',
    meaning.class === 'success',
    `exit ${meaning.code} (${meaning.name})${timedOutMs ? `: timed out after ${timedOutMs} ms` : ''}`,
    {
      expected: 0,
      actual: meaning.code,
    },
  ),
  createCheck('timeout', timedOutMs === undefined, timedOutMs === undefined ? 'finished in time' : 'timed out'),
  {
    ...createCheck('leaked_process', leaked === 0, leaked === 0 ? 'no subprocess was still running' : formatKilledProcesses(leaked), {
      expected: 0,
      actual: leaked,
    }),
    isAdvisory: true,
  },
  {
    ...createCheck('output_size', !isTruncated, isTruncated ? 'the output was truncated' : 'the output is complete'),
    isAdvisory: true,
  },
];

export const formatKilledProcesses = (count: number): string =>
  count === 1 ? 'killed 1 subprocess that was still running' : `killed ${count} subprocesses that were still running`;

/** Why a check of an artifact failed: the file is absent, invalid, or not complete enough. */
type ArtifactDefect = 'missing' | 'invalid' | 'incomplete';

export interface ArtifactCheck extends GateCheck {
  defect?: ArtifactDefect;
}

/** Checks every requirement of an artifact. `minimum` applies to artifacts with a schema and no minimum of their own. Failures of an
 *  optional artifact are advisory. */
export function checkArtifact(artifact: ResolvedArtifact, minimum?: number): ArtifactCheck[] {
  const checks = checkFiles(artifact, minimum);
  return artifact.spec.required ? checks : checks.map(({ defect: _, ...one }) => ({ ...one, isAdvisory: true }));
}

function checkFiles({ spec, files, isTruncated }: ResolvedArtifact, minimum: number | undefined): ArtifactCheck[] {
  const name = `artifact:${spec.path}`;
  if (files.length === 0) {
    if (!spec.required) return [];
    return [{ ...createCheck(name, false, `${spec.path} does not exist`, { path: spec.path }, `write ${spec.path}`), defect: 'missing' }];
  }
  const checks = files.flatMap((file) => checkFile(file, spec, minimum));
  return isTruncated
    ? [...checks, { ...createCheck(name, false, 'the pattern matches too many files', { path: spec.path }), defect: 'invalid' as const }]
    : checks;
}

function checkFile(file: ArtifactFile, spec: ResolvedArtifact['spec'], minimum: number | undefined): ArtifactCheck[] {
  const { path } = file;
  const invalid = (name: string, message: string, remediation?: string): ArtifactCheck => ({
    ...createCheck(name, false, message, { path }, remediation),
    defect: 'invalid',
  });
  if (file.kind === 'outside')
    return [invalid(`artifact:${path}`, `${path} links to a target outside the project`, `write ${path} inside the project`)];
  if (file.kind !== 'file') return [invalid(`artifact:${path}`, `${path} is not a regular file`, `write ${path} as a file`)];
  if (file.size === 0) return [invalid(`artifact:${path}`, `${path} is empty`, `write ${path}`)];
  const checks: ArtifactCheck[] = [createCheck(`artifact:${path}`, true, `${path} exists`, { path, actual: file.size })];
  for (const problem of file.problems) checks.push(invalid(`schema:${path}`, `${path} ${problem}`, `fix ${path}: it ${problem}`));
  if (!spec.schema || !file.completeness) return checks;
  const { completeness } = file;
  const min = spec.min_completeness ?? minimum;
  if (min !== undefined) {
    const isEnough = completeness.completeness >= min;
    checks.push({
      ...createCheck(
        `completeness:${path}`,
        isEnough,
        `${path} is ${completeness.completeness} complete; the minimum is ${min}`,
        { path, ...findFirstGap(completeness.sections), expected: min, actual: completeness.completeness },
        formatRemedy(path, completeness.sections),
      ),
      ...(isEnough ? {} : { defect: 'incomplete' as const }),
    });
  }
  if (spec.required_sections !== null) {
    const missing = listMissingSections(completeness, spec.required_sections);
    const names = missing.map(({ id }) => id);
    checks.push({
      ...createCheck(
        `sections:${path}`,
        missing.length === 0,
        missing.length === 0 ? `${path} has all required sections` : `${path} has no content in ${names.join(', ')}`,
        { path, ...findFirstGap(missing), expected: spec.required_sections, actual: names },
        // The completeness check already has a remedy.
        checks.every(({ passed }) => passed) ? formatRemedy(path, missing) : undefined,
      ),
      ...(missing.length === 0 ? {} : { defect: 'invalid' as const }),
    });
  }
  return checks;
}

/** The line of the first existing section that lacks something. */
function findFirstGap(sections: SectionScore[]): { line?: number } {
  const first = sections.find(({ line, lacks }) => line !== null && lacks.length > 0);
  return first?.line == null ? {} : { line: first.line };
}

/** The exit code of a phase whose inputs fail: 66 if one is missing, 65 if one is invalid or incomplete. */
export function getInputExitCode(checks: ArtifactCheck[]): 66 | 65 | undefined {
  const defects = checks.map(({ defect }) => defect);
  return defects.includes('missing') ? 66 : defects.some((lack) => lack !== undefined) ? 65 : undefined;
}

/** The wanted sections that are absent or empty; `true` stands for all required ones. */
export const listMissingSections = ({ sections }: Completeness, wanted: string[] | true): SectionScore[] =>
  sections.filter(({ id, required, score }) => score === 0 && (wanted === true ? required : wanted.includes(id)));

/** Lists what each section of a document still needs. */
export const formatRemedy = (path: string, sections: { id: string; lacks: string[] }[]): string =>
  `${path}: ${sections
    .filter(({ lacks }) => lacks.length > 0)
    .map(({ id, lacks }) => `${id} needs ${lacks.join(', ')}`)
    .join('; ')}`;

/** Parses remedies, one per line: the sections of files that need work, and the files that have to be written. */
export const parseRemedy = (remedy: string): { path: string; section?: string }[] =>
  remedy.split('\n').flatMap((line) => {
    const whole = /^write (\S.*)$/.exec(line);
    if (whole) return [{ path: whole[1]! }];
    const [path = '', rest] = line.split(/: (.*)/s);
    return [...(rest ?? '').matchAll(/(?:^|; )(\S+) needs /g)].map(([, section]) => ({ path, section: section! }));
  });

/** Checks the outputs of a phase. A required file that the execution did not write is reported as stale, which is advisory. */
export function checkOutputs(artifacts: ResolvedArtifact[], touched: Set<string>): GateCheck[] {
  return artifacts.flatMap((artifact) => [
    ...checkArtifact(artifact),
    ...artifact.files
      .filter(({ path, kind }) => artifact.spec.required && kind === 'file' && !touched.has(path))
      .map(
        ({ path }): GateCheck => ({
          ...createCheck('stale_output', false, `${path} was not written by this execution`, { path }),
          isAdvisory: true,
        }),
      ),
  ]);
}

/** The share of an artifact that exists, from 0 to 1: the completeness of a document, otherwise 0 or 1. A pattern counts as the mean of its
 *  files. */
export function measureFulfilment({ files }: ResolvedArtifact): number {
  const shares = files.map(({ kind, size, completeness, problems }) => {
    if (kind !== 'file' || size === 0) return 0;
    return completeness?.completeness ?? (problems.length === 0 ? 1 : 0);
  });
  return mean(shares);
}

export const checkPrimary = (problems: string[]): GateCheck =>
  createCheck(
    'primary',
    problems.length === 0,
    problems.length === 0 ? 'the primary output matches its schema' : `the primary output ${problems.join('; ')}`,
  );
