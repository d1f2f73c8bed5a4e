import type { CleoError } from '#core/errors/error.ts';
import { redactText } from '#lib/redact.ts';
import { createSkillError, toSkillError } from '#runs/errors/skill.ts';

/** Converts an error to the exit codes of skills, and redacts secrets that came from a caller, a file or a skill. */
export function redactSkillError(known: CleoError): CleoError {
  // A missing scope is the same error everywhere.
  if (known.row === 'E_FORBIDDEN') return known;
  const error = toSkillError(known);
  const { row, exitCode, message, fix, details } = error;
  if (row !== 'E_SKILL') return error;
  const clean = redactText(fix);
  // A command with a redacted value cannot be run as it is.
  const manual = clean === fix ? {} : { manual: 'Run the fix with your own value in place of the redacted one' };
  return createSkillError(exitCode, redactText(message), clean, { ...(redactDetails(details) as Record<string, unknown>), ...manual });
}

function redactDetails(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactDetails);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redactText(name), redactDetails(item)]));
}
