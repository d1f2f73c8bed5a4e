import type { ArtifactFile, ResolvedArtifact } from '../../model/artifact.ts';
import type { HandoffSpec } from '../../model/construct.ts';
import type { Artifact, PhaseHandoff } from '../../model/execution.ts';
import { checkArtifact } from './gate.ts';

interface HandoffFacts {
  runId: string;
  at: string;
  spec: HandoffSpec;
  required: ResolvedArtifact[];
  optional: ResolvedArtifact[];
  /** Files that match the outputs of the sender. */
  outputs: ArtifactFile[];
  /** Hashes of the files when the sender ended; empty if unknown. */
  before: Map<string, string>;
}

/** The minimum completeness of a document without one of its own. */
export const defaultMinCompleteness = 0.7;

/** Decides whether the artifacts of one phase are sufficient for the next one to start. */
export function evaluateHandoff({ runId, at, spec, required, optional, outputs, before }: HandoffFacts): PhaseHandoff {
  const base = { schema_version: 1 as const, run_id: runId, from_phase: spec.from, to_phase: spec.to, handoff_at: at };
  const files = dropDuplicates([...required, ...optional].flatMap((artifact) => artifact.files));
  const artifacts = {
    required: spec.required,
    provided: files.filter(({ kind }) => kind === 'file').map(toProvided),
    missing: required.filter((artifact) => artifact.files.length === 0).map((artifact) => artifact.spec.path),
    extra: dropDuplicates(outputs)
      .map(({ path }) => path)
      .filter((path) => !files.some((file) => file.path === path)),
  };
  if (spec.onFailure === 'skip')
    return {
      ...base,
      artifacts,
      validation: { schema_valid: true, completeness: null, blockers: [], warnings: [], skipped: true },
      accepted: true,
      rejection_reason: null,
      remediation: null,
    };
  const failed = required.flatMap((artifact) => checkArtifact(artifact, defaultMinCompleteness)).filter(({ passed }) => !passed);
  const changed = files.filter(({ path, sha256 }) => before.has(path) && before.get(path) !== sha256);
  const problems = [
    ...failed.map(({ message }) => message),
    ...changed.map(({ path }) => `artifact_changed: ${path} has changed since ${spec.from} ended`),
  ];
  const isBlocked = problems.length > 0 && spec.onFailure === 'block';
  const remedies = [
    ...failed.flatMap(({ remediation }) => remediation ?? []),
    ...changed.map(({ path }) => `run ${spec.from} again, or restore ${path}`),
  ];
  // Problems of optional artifacts are warnings.
  const optionalProblems = optional
    .flatMap((artifact) => checkArtifact(artifact))
    .flatMap(({ passed, message }) => (passed ? [] : [message]));
  return {
    ...base,
    artifacts,
    validation: {
      schema_valid: failed.every(({ defect }) => defect !== 'invalid'),
      completeness: getMinCompleteness(required),
      blockers: isBlocked ? problems : [],
      warnings: isBlocked ? optionalProblems : [...problems, ...optionalProblems],
      skipped: false,
    },
    accepted: !isBlocked,
    rejection_reason: isBlocked ? problems.join('; ') : null,
    remediation: isBlocked && remedies.length > 0 ? remedies.join('\n') : null,
  };
}

const toProvided = ({ path, contentType, size, sha256, completeness }: ArtifactFile): Artifact & { completeness: number | null } => ({
  type: 'file',
  path,
  content_type: contentType,
  size_bytes: size,
  checksum: sha256,
  metadata: {},
  completeness: completeness?.completeness ?? null,
});

/** The lowest completeness of the required documents; null if none has a schema. */
function getMinCompleteness(required: ResolvedArtifact[]): number | null {
  const shares = required
    .filter(({ spec }) => spec.schema !== null)
    .flatMap(({ files }) => (files.length === 0 ? [0] : files.map(({ completeness }) => completeness?.completeness ?? 0)));
  return shares.length === 0 ? null : Math.min(...shares);
}

const dropDuplicates = (files: ArtifactFile[]): ArtifactFile[] => [...new Map(files.map((file) => [file.path, file])).values()];
