import type { ExitClass, ExitCodeNames } from '../model/construct.ts';
import type { ExecutionStatus } from '../model/execution.ts';

/** What a code of a skill means: exactly one class for each of 0 to 255. */
export interface ExitMeaning {
  code: number;
  name: string;
  class: ExitClass;
  status: ExecutionStatus;
  action: string;
}

const names: Record<number, string> = {
  0: 'success',
  1: 'general_failure',
  2: 'misuse',
  3: 'incomplete',
  4: 'partial',
  64: 'usage_error',
  65: 'data_error',
  66: 'no_input',
  67: 'no_user',
  68: 'no_host',
  69: 'unavailable',
  70: 'internal_error',
  71: 'os_error',
  72: 'os_file',
  73: 'cant_create',
  74: 'io_error',
  75: 'temp_fail',
  76: 'protocol',
  77: 'no_permission',
  78: 'config_error',
  80: 'blocked',
  81: 'timeout',
  82: 'quota_exceeded',
  83: 'escalation',
  84: 'validation_failed',
  126: 'not_executable',
  127: 'not_found',
};

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

function classOf(code: number): ExitClass {
  if (code === 0) return 'success';
  if (code === 1 || code === 3) return 'soft';
  if (code === 4) return 'partial';
  if (code === 2) return 'permanent';
  if ([69, 71, 74, 75, 76].includes(code)) return 'temporary';
  if (code === 70) return 'internal';
  if (code >= 64 && code <= 78) return 'precondition';
  if (code === 80 || code === 82) return 'blocked';
  if (code === 81) return 'timeout';
  if (code === 83) return 'escalate';
  if (code === 84) return 'validation';
  if (code === 126 || code === 127) return 'config';
  return code >= 129 && code <= 192 ? 'signal' : 'unknown';
}

function statusOf(code: number, exitClass: ExitClass): ExecutionStatus {
  if (exitClass === 'success') return 'success';
  if (exitClass === 'partial' || (exitClass === 'soft' && code === 3)) return 'partial';
  if (exitClass === 'blocked' || exitClass === 'escalate') return 'blocked';
  return exitClass === 'timeout' ? 'timeout' : 'failure';
}

/** The standard class of a name, so that an author who calls a code `blocked` has it treated so. */
export function classOfName(name: string): ExitClass | undefined {
  const found = Object.entries(names).find(([, known]) => known === name);
  return found && classOf(Number(found[0]));
}

/** What authors call a code wins over the table, the phase's own names over all. */
export function meaningOf(code: number, ...overrides: ExitCodeNames[]): ExitMeaning {
  const given = overrides.map((one) => one[code]).findLast((one) => one !== undefined);
  const exitClass = given?.class ?? (given && classOfName(given.name)) ?? classOf(code);
  const signal = code >= 129 && code <= 192 ? `signal_${code - 128}` : undefined;
  return {
    code,
    name: given?.name ?? names[code] ?? signal ?? 'unknown',
    class: exitClass,
    status: statusOf(code, exitClass),
    action: actions[exitClass],
  };
}

/** Codes that are kept for frameworks: a skill that ends with one is warned about. */
export const isReserved = (code: number): boolean => code >= 100 && code <= 125;
