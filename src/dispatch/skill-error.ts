import type { CleoError } from '#core/errors/error.ts';
import { redactText } from '#lib/redact.ts';
import { createSkillError, toSkillError } from '#runs/errors/skill.ts';

/** A refusal of what runs and judges skills: in their codes, and without the secrets that a caller, a file or a skill has put into it. */
export function redactSkillError(known: CleoError): CleoError {
  const refusal = toSkillError(known);
  const { row, exitCode, message, fix, details } = refusal;
  if (row !== 'E_SKILL') return refusal;
  return createSkillError(exitCode, redactText(message), redactText(fix), redactDetails(details) as Record<string, unknown>);
}

function redactDetails(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactDetails);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redactText(name), redactDetails(item)]));
}
