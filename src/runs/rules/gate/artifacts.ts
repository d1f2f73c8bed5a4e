import type { SectionScore } from '../../model/doc-schema.ts';
import type { FoundArtifact, FoundFile } from '../../model/found.ts';
import { missingSections } from '../document/missing.ts';
import { check, type Judged } from './gate.ts';
import { remedyOf } from './remedy.ts';

/** What kind of failing a check is: something is not there, or is there and not what it should be, or is not enough of it. */
export type Lack = 'missing' | 'invalid' | 'incomplete';

export interface ArtifactCheck extends Judged {
  lack?: Lack;
}

/** One check for each thing that is asked of an artifact. `minimum` holds for those with a schema and no minimum of their own. What
 *  need not be there is told of, and stops nothing. */
export function artifactChecks(found: FoundArtifact, minimum?: number): ArtifactCheck[] {
  const checks = checksOf(found, minimum);
  return found.spec.required ? checks : checks.map(({ lack: _, ...one }) => ({ ...one, isRemark: true }));
}

function checksOf({ spec, files, isCut }: FoundArtifact, minimum: number | undefined): ArtifactCheck[] {
  const name = `artifact:${spec.path}`;
  if (files.length === 0) {
    if (!spec.required) return [];
    return [{ ...check(name, false, `${spec.path} is not there`, { path: spec.path }, `write ${spec.path}`), lack: 'missing' }];
  }
  const checks = files.flatMap((file) => fileChecks(file, spec, minimum));
  return isCut
    ? [...checks, { ...check(name, false, 'more files fit than are looked at', { path: spec.path }), lack: 'invalid' as const }]
    : checks;
}

function fileChecks(file: FoundFile, spec: FoundArtifact['spec'], minimum: number | undefined): ArtifactCheck[] {
  const { path } = file;
  const invalid = (name: string, message: string, remediation?: string): ArtifactCheck => ({
    ...check(name, false, message, { path }, remediation),
    lack: 'invalid',
  });
  if (file.kind === 'outside') return [invalid(`artifact:${path}`, `${path} leads out of the project`, `write ${path} inside the project`)];
  if (file.kind !== 'file') return [invalid(`artifact:${path}`, `${path} is no regular file`, `write ${path} as a file`)];
  if (file.size === 0) return [invalid(`artifact:${path}`, `${path} is empty`, `write ${path}`)];
  const checks: ArtifactCheck[] = [check(`artifact:${path}`, true, `${path} is there`, { path, actual: file.size })];
  for (const problem of file.problems) checks.push(invalid(`schema:${path}`, `${path} ${problem}`, `mend ${path}: it ${problem}`));
  if (!spec.schema || !file.completeness) return checks;
  const { completeness } = file;
  const least = spec.min_completeness ?? minimum;
  if (least !== undefined) {
    const isEnough = completeness.completeness >= least;
    checks.push({
      ...check(
        `completeness:${path}`,
        isEnough,
        `${path} is ${completeness.completeness} complete; ${least} is asked for`,
        { path, ...lineOf(completeness.sections), expected: least, actual: completeness.completeness },
        remedyOf(path, completeness.sections),
      ),
      ...(isEnough ? {} : { lack: 'incomplete' as const }),
    });
  }
  if (spec.required_sections !== null) {
    const missing = missingSections(completeness, spec.required_sections);
    const names = missing.map(({ id }) => id);
    checks.push({
      ...check(
        `sections:${path}`,
        missing.length === 0,
        missing.length === 0 ? `${path} has the sections that are asked for` : `${path} lacks ${names.join(', ')}`,
        { path, ...lineOf(missing), expected: spec.required_sections, actual: names },
        // Where it is not complete enough, what it lacks has been said.
        checks.every(({ passed }) => passed) ? remedyOf(path, missing) : undefined,
      ),
      ...(missing.length === 0 ? {} : { lack: 'invalid' as const }),
    });
  }
  return checks;
}

/** Where to begin: the first section that stands there and lacks something. */
function lineOf(sections: SectionScore[]): { line?: number } {
  const first = sections.find(({ line, lacks }) => line !== null && lacks.length > 0);
  return first?.line == null ? {} : { line: first.line };
}

/** Of a phase that cannot begin: 66 where something is missing, 65 where something is not good enough. */
export function inputCode(checks: ArtifactCheck[]): 66 | 65 | undefined {
  const lacks = checks.map(({ lack }) => lack);
  return lacks.includes('missing') ? 66 : lacks.some((lack) => lack !== undefined) ? 65 : undefined;
}
