import type { CheckSpec } from '../../model/construct.ts';
import { createCheck, type GateCheck } from './gate.ts';

/** The result that the runner determined for a named check. */
export type CheckFact =
  | { kind: 'exists' | 'context_files_exist'; isMet: boolean; path: string }
  | { kind: 'completeness'; isMet: boolean; path: string; actual: number | null; remedy: string }
  | { kind: 'operator_detected'; operator: string }
  | { kind: 'env'; isMet: boolean }
  | { kind: 'git_clean'; dirtyFiles: number | undefined }
  | { kind: 'command'; isMet: boolean };

/** Converts a fact into a check with the name that its author gave it. */
export function toNamedCheck(spec: CheckSpec, fact: CheckFact): GateCheck {
  switch (fact.kind) {
    case 'exists':
    case 'context_files_exist':
      return createCheck(
        spec.name,
        fact.isMet,
        `${fact.path} ${fact.isMet ? 'exists' : 'does not exist'}`,
        { path: fact.path },
        `write ${fact.path}`,
      );
    case 'completeness': {
      const min = spec.kind === 'completeness' ? spec.min : 0;
      const evidence = { path: fact.path, expected: min, actual: fact.actual };
      return createCheck(
        spec.name,
        fact.isMet,
        `${fact.path} is ${fact.actual ?? 'not'} complete; the minimum is ${min}`,
        evidence,
        fact.remedy,
      );
    }
    case 'operator_detected': {
      const isKnown = fact.operator !== 'unknown';
      return createCheck(
        spec.name,
        isKnown,
        `operator: ${fact.operator}`,
        { actual: fact.operator },
        'set CLEO_OPERATOR to human, ai or ci',
      );
    }
    case 'env': {
      const name = spec.kind === 'env' ? spec.variable : '';
      return createCheck(spec.name, fact.isMet, `${name} is ${fact.isMet ? '' : 'not '}set`, { expected: name }, `set ${name}`);
    }
    case 'git_clean': {
      const { dirtyFiles } = fact;
      const message = dirtyFiles === undefined ? 'there is no git repository' : `${dirtyFiles} files have uncommitted changes`;
      return createCheck(spec.name, dirtyFiles === 0, message, { expected: 0, actual: dirtyFiles ?? null }, 'commit the changes');
    }
    case 'command': {
      const line = spec.kind === 'command' ? spec.argv.join(' ') : '';
      return createCheck(
        spec.name,
        fact.isMet,
        `${line} ${fact.isMet ? 'succeeds' : 'fails'}`,
        { expected: 0 },
        `find out why ${line} fails`,
      );
    }
  }
}
