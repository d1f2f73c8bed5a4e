export const exitClasses = [
  'success',
  'soft',
  'partial',
  'permanent',
  'precondition',
  'temporary',
  'internal',
  'blocked',
  'timeout',
  'escalate',
  'validation',
  'config',
  'signal',
  'unknown',
] as const;
export type ExitClass = (typeof exitClasses)[number];
/** The classes that can be retried: all but success. */
export const [, ...failureClasses] = exitClasses;

/** Conventional names of exit codes (sysexits and shells). */
export const exitNames: Record<number, string> = {
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

/** The class of an exit code. Every code from 0 to 255 has exactly one. */
export function classifyExitCode(code: number): ExitClass {
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
