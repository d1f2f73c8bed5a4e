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

export const primaryCheck = (problems: string[]): Judged =>
  check(
    'primary',
    problems.length === 0,
    problems.length === 0 ? 'the primary output fits its schema' : `the primary output ${problems.join('; ')}`,
  );
