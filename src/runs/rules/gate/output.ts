import { mean } from '#lib/statistics.ts';
import type { ResolvedArtifact } from '../../model/artifact.ts';
import { checkArtifact } from './artifacts.ts';
import { createCheck, type GateCheck } from './gate.ts';

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
