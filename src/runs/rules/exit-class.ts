import type { ExitCodeNames } from '../model/construct.ts';
import type { ExecutionStatus } from '../model/execution.ts';
import { classOf, type ExitClass, exitNames } from '../model/skill-exit.ts';

/** What a code of a skill means: exactly one class for each of 0 to 255. */
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

/** Classes that are tried again unless the author says otherwise. */
export const retriedByDefault: ExitClass[] = ['soft', 'temporary'];

function statusOf(code: number, exitClass: ExitClass): ExecutionStatus {
  if (exitClass === 'success') return 'success';
  if (exitClass === 'partial' || (exitClass === 'soft' && code === 3)) return 'partial';
  if (exitClass === 'blocked' || exitClass === 'escalate') return 'blocked';
  return exitClass === 'timeout' ? 'timeout' : 'failure';
}

/** The code that has a name by custom. */
function codeOfName(name: string): number | undefined {
  const found = Object.entries(exitNames).find(([, known]) => known === name);
  return found && Number(found[0]);
}

/** The standard class of a name, so that an author who calls a code `blocked` has it treated so. */
export function classOfName(name: string): ExitClass | undefined {
  const code = codeOfName(name);
  return code === undefined ? undefined : classOf(code);
}

/** What the runner itself ends an execution with. Authors may call it something else, but what was stopped has not succeeded. */
export function refusalOf(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const meaning = meaningOf(code, ...overrides);
  return meaning.class === 'success' ? meaningOf(code) : meaning;
}

/** What authors call a code wins over the table, the phase's own names over all. */
export function meaningOf(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const given = overrides.map((one) => one[code]).findLast((one) => one !== undefined);
  const exitClass = given?.class ?? (given && classOfName(given.name)) ?? classOf(code);
  const signal = code >= 129 && code <= 192 ? `signal_${code - 128}` : undefined;
  return {
    code,
    name: given?.name ?? exitNames[code] ?? signal ?? 'unknown',
    class: exitClass,
    // A code that is called by the name of another is treated as that one.
    status: statusOf((given && codeOfName(given.name)) ?? code, exitClass),
    action: actions[exitClass],
  };
}

/** Codes that are kept for frameworks: a skill that ends with one is warned about. */
export const isReserved = (code: number): boolean => code >= 100 && code <= 125;
