import type { ErrorBody, StepResult } from './run-line.ts';

/** Operations that give the caller work, which only it can do. */
const work = ['tasks.start', 'tasks.claim-next', 'lifecycle.start', 'orchestrate.spawn'];
/** Reads that always say what to do next. */
const guides = ['admin.help', 'admin.doctor'];

/** Errors that pass by themselves: to try again later is all that a caller can do. */
const passing = [
  'E_SKILL_TEMPORARY',
  'E_SKILL_TIMEOUT',
  'E_SKILL_SIGNAL',
  'E_SKILL_PARTIAL',
  'E_LOCK_TIMEOUT',
  'E_STORE_UNAVAILABLE',
  'E_TOO_MANY_REQUESTS',
];

export const isPassing = ({ code }: ErrorBody): boolean => passing.includes(code);

/** Fixes that do what the caller wanted in another way, so that the call itself is not repeated. */
const replacements: Record<string, string[]> = {
  // The session for this scope exists.
  E_SESSION_EXISTS: ['session.resume'],
  E_SCOPE_CONFLICT: ['session.resume'],
  // The tasks of the old session are gone.
  E_RESUME_FAILED: ['session.start'],
  // A task is worked on in a session of its own, not orchestrated.
  E_SCOPE_INVALID: ['session.start'],
  // A done task is history.
  E_TASK_COMPLETED: ['tasks.archive'],
  // The task waits for a person, who has to configure the tests.
  E_GATE_UPDATE_FAILED: ['tasks.update'],
  // A dependency inside the project.
  E_VALIDATION_ON: ['tasks.update'],
  // The scores show what became worse.
  E_SKILL_SOFT: ['assess.run'],
  // A run of the other kind is resumed with its own command.
  E_SKILL_PRECONDITION: ['skills.run', 'construct.run'],
  // The text goes to standard output instead of the file.
  E_FILE_ERROR: ['tasks.export'],
};

export const isReplacement = ({ code }: ErrorBody, { operation }: StepResult): boolean =>
  operation !== undefined && (replacements[code] ?? []).includes(operation.name);

/** Names the honest end that a successful step is, or returns undefined if the step does not help. */
export function findHonestEnd(error: ErrorBody, step: StepResult, failedOperation: string): string | undefined {
  const { operation, exitCode, result } = step;
  if (!operation) return 'process';
  if (isReplacement(error, step)) return 'instead';
  if (guides.includes(operation.name)) return 'guide';
  if (operation.name === failedOperation) return 'corrected call';
  if (operation.kind !== 'query')
    return work.includes(operation.name)
      ? `work: ${operation.name}`
      : (result.data as { dryRun?: boolean } | undefined)?.dryRun
        ? 'preview'
        : undefined;
  const { _meta: _, success: __, ...shown } = result;
  // 100: nothing matched, so the caller learns nothing.
  if (exitCode === 100 || Object.values(shown).every(isEmpty)) return undefined;
  return `read: ${error.code} ${operation.name}`;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
