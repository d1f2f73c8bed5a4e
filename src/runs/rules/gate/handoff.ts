import type { HandoffSpec } from '../../model/construct.ts';
import type { Artifact, PhaseHandoff } from '../../model/execution.ts';
import type { FoundArtifact, FoundFile } from '../../model/found.ts';
import { artifactChecks } from './artifacts.ts';

export interface HandoffFacts {
  runId: string;
  at: string;
  spec: HandoffSpec;
  required: FoundArtifact[];
  optional: FoundArtifact[];
  /** Files that fit what the sender makes. */
  outputs: FoundFile[];
  /** What each file was when the sender ended; empty where that is not known. */
  before: Map<string, string>;
}

/** Where nobody says how complete a document has to be. */
export const defaultCompleteness = 0.7;

/** Whether what one phase leaves is what the next can begin with. */
export function handOn({ runId, at, spec, required, optional, outputs, before }: HandoffFacts): PhaseHandoff {
  const base = { schema_version: 1 as const, run_id: runId, from_phase: spec.from, to_phase: spec.to, handoff_at: at };
  const files = unique([...required, ...optional].flatMap((found) => found.files));
  const artifacts = {
    required: spec.required,
    provided: files.filter(({ kind }) => kind === 'file').map(provided),
    missing: required.filter((found) => found.files.length === 0).map((found) => found.spec.path),
    extra: unique(outputs)
      .map(({ path }) => path)
      .filter((path) => !files.some((file) => file.path === path)),
  };
  if (spec.onFailure === 'skip')
    return {
      ...{ ...base, artifacts, validation: { schema_valid: true, completeness: null, blockers: [], warnings: [], skipped: true } },
      ...{ accepted: true, rejection_reason: null, remediation: null },
    };
  const failed = required.flatMap((found) => artifactChecks(found, defaultCompleteness)).filter(({ passed }) => !passed);
  const changed = files.filter(({ path, sha256 }) => before.has(path) && before.get(path) !== sha256);
  const problems = [
    ...failed.map(({ message }) => message),
    ...changed.map(({ path }) => `artifact_changed: ${path} is not what ${spec.from} left`),
  ];
  const isBlocked = problems.length > 0 && spec.onFailure === 'block';
  const remedies = [
    ...failed.flatMap(({ remediation }) => remediation ?? []),
    ...changed.map(({ path }) => `run ${spec.from} again, or leave ${path} as it made it`),
  ];
  // What need not be there is told of, and stops nothing.
  const remarks = optional.flatMap((found) => artifactChecks(found)).flatMap(({ passed, message }) => (passed ? [] : [message]));
  return {
    ...base,
    artifacts,
    validation: {
      schema_valid: failed.every(({ lack }) => lack !== 'invalid'),
      completeness: least(required),
      blockers: isBlocked ? problems : [],
      warnings: isBlocked ? remarks : [...problems, ...remarks],
      skipped: false,
    },
    accepted: !isBlocked,
    rejection_reason: isBlocked ? problems.join('; ') : null,
    remediation: isBlocked && remedies.length > 0 ? remedies.join('\n') : null,
  };
}

const provided = ({ path, contentType, size, sha256, completeness }: FoundFile): Artifact & { completeness: number | null } => ({
  ...{ type: 'file', path, content_type: contentType, size_bytes: size, checksum: sha256, metadata: {} },
  completeness: completeness?.completeness ?? null,
});

/** As complete as the least complete of what must be there; null where nothing of it has a schema. */
function least(required: FoundArtifact[]): number | null {
  const shares = required
    .filter(({ spec }) => spec.schema !== null)
    .flatMap(({ files }) => (files.length === 0 ? [0] : files.map(({ completeness }) => completeness?.completeness ?? 0)));
  return shares.length === 0 ? null : Math.min(...shares);
}

const unique = (files: FoundFile[]): FoundFile[] => [...new Map(files.map((file) => [file.path, file])).values()];
