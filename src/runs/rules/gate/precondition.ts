import type { CheckSpec } from '../../model/construct.ts';
import { check, type Judged } from './gate.ts';

/** What the runner found out for a check that an author named. */
export type CheckFact =
  | { kind: 'exists' | 'context_files_exist'; isMet: boolean; path: string }
  | { kind: 'completeness'; isMet: boolean; path: string; actual: number | null; remedy: string }
  | { kind: 'operator_detected'; operator: string }
  | { kind: 'env'; isMet: boolean }
  | { kind: 'git_clean'; dirtyFiles: number | undefined }
  | { kind: 'command'; isMet: boolean };

/** Each check by the name its author gave it. */
export function namedCheck(spec: CheckSpec, fact: CheckFact): Judged {
  switch (fact.kind) {
    case 'exists':
    case 'context_files_exist':
      return check(
        spec.name,
        fact.isMet,
        fact.isMet ? `${fact.path} is there` : `${fact.path} is not there`,
        { path: fact.path },
        `write ${fact.path}`,
      );
    case 'completeness': {
      const min = spec.kind === 'completeness' ? spec.min : 0;
      const evidence = { path: fact.path, expected: min, actual: fact.actual };
      return check(spec.name, fact.isMet, `${fact.path} is ${fact.actual ?? 'not'} complete; ${min} is asked for`, evidence, fact.remedy);
    }
    case 'operator_detected': {
      const isKnown = fact.operator !== 'unknown';
      return check(spec.name, isKnown, `operator: ${fact.operator}`, { actual: fact.operator }, 'set CLEO_OPERATOR to human, ai or ci');
    }
    case 'env': {
      const name = spec.kind === 'env' ? spec.variable : '';
      return check(spec.name, fact.isMet, `${name} is ${fact.isMet ? '' : 'not '}set`, { expected: name }, `set ${name}`);
    }
    case 'git_clean': {
      const { dirtyFiles } = fact;
      const message = dirtyFiles === undefined ? 'there is no git repository' : `${dirtyFiles} files differ from what is committed`;
      return check(spec.name, dirtyFiles === 0, message, { expected: 0, actual: dirtyFiles ?? null }, 'commit what has changed');
    }
    case 'command': {
      const line = spec.kind === 'command' ? spec.argv.join(' ') : '';
      return check(spec.name, fact.isMet, `${line} ${fact.isMet ? 'succeeds' : 'fails'}`, { expected: 0 }, `see why ${line} fails`);
    }
  }
}
