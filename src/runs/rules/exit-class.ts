import type { ExitCodeNames } from '../model/construct.ts';
import type { ExecutionStatus } from '../model/execution.ts';
import { classifyExitCode, type ExitClass, exitNames } from '../model/skill-exit.ts';

/** The meaning of a skill's exit code. Each code from 0 to 255 has exactly one class. */
export interface ExitMeaning {
  code: number;
  name: string;
  class: ExitClass;
  status: ExecutionStatus;
  action: string;
}

const actions: Record<ExitClass, string> = {
  success: 'proceed',
  soft: 'retry',
  partial: 'review_output',
  permanent: 'fix_invocation',
  precondition: 'fix_inputs',
  temporary: 'retry_later',
  internal: 'alert_maintainer',
  blocked: 'wait_or_escalate',
  timeout: 'raise_limit',
  escalate: 'review',
  validation: 'review_output',
  config: 'alert_maintainer',
  signal: 'investigate',
  unknown: 'investigate',
};

/** Classes that are retried by default. */
export const defaultRetryOn: ExitClass[] = ['soft', 'temporary'];

function toExecutionStatus(code: number, exitClass: ExitClass): ExecutionStatus {
  if (exitClass === 'success') return 'success';
  if (exitClass === 'partial' || (exitClass === 'soft' && code === 3)) return 'partial';
  if (exitClass === 'blocked' || exitClass === 'escalate') return 'blocked';
  return exitClass === 'timeout' ? 'timeout' : 'failure';
}

/** The exit code with this conventional name. */
function findCodeByName(name: string): number | undefined {
  const entry = Object.entries(exitNames).find(([, standardName]) => standardName === name);
  return entry && Number(entry[0]);
}

/** The standard class of a name, so that a code that an author names `blocked` is treated as blocked. */
export function findClassByName(name: string): ExitClass | undefined {
  const code = findCodeByName(name);
  return code === undefined ? undefined : classifyExitCode(code);
}

/** Explains the exit code of an execution that the runner stopped. Authors may rename the code, but cannot turn it into success. */
export function explainRunnerExit(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const meaning = explainExit(code, ...overrides);
  return meaning.class === 'success' ? explainExit(code) : meaning;
}

/** Explains an exit code. Names of the manifest replace the standard ones, and later overrides win. */
export function explainExit(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const override = overrides.map((one) => one[code]).findLast((one) => one !== undefined);
  const exitClass = override?.class ?? (override && findClassByName(override.name)) ?? classifyExitCode(code);
  const signal = code >= 129 && code <= 192 ? `signal_${code - 128}` : undefined;
  return {
    code,
    name: override?.name ?? exitNames[code] ?? signal ?? 'unknown',
    class: exitClass,
    // A code with the standard name of another code is treated like that one.
    status: toExecutionStatus((override && findCodeByName(override.name)) ?? code, exitClass),
    action: actions[exitClass],
  };
}

/** Codes reserved for frameworks. A skill that exits with one gets a warning. */
export const isReservedExitCode = (code: number): boolean => code >= 100 && code <= 125;
