import type { FoundArtifact } from '../../model/found.ts';
import { artifactChecks } from './artifacts.ts';
import { check, type Judged } from './gate.ts';

/** What a phase was to make. A required file that nobody touched is there, but not of this execution: that is told. */
export function outputChecks(found: FoundArtifact[], touched: Set<string>): Judged[] {
  return found.flatMap((artifact) => [
    ...artifactChecks(artifact),
    ...artifact.files
      .filter(({ path, kind }) => artifact.spec.required && kind === 'file' && !touched.has(path))
      .map(
        ({ path }): Judged => ({ ...check('stale_output', false, `${path} was not written by this execution`, { path }), isRemark: true }),
      ),
  ]);
}

/** How much of what was to be made is there, from 0 to 1: as complete as it is as a document, else all or nothing. A pattern counts as
 *  the mean of its files. */
export function fulfilment({ files }: FoundArtifact): number {
  const shares = files.map(({ kind, size, completeness, problems }) => {
    if (kind !== 'file' || size === 0) return 0;
    return completeness?.completeness ?? (problems.length === 0 ? 1 : 0);
  });
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

export const primaryCheck = (problems: string[]): Judged =>
  check(
    'primary',
    problems.length === 0,
    problems.length === 0 ? 'the primary output fits its schema' : `the primary output ${problems.join('; ')}`,
  );
