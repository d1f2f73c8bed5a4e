import { expect } from 'vitest';
import { getErrorCatalog } from '../../src/admin/all-errors.ts';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import type { Reply } from '../../src/dispatch/dispatch.ts';
import { exitNames } from '../../src/runs/model/skill-exit.ts';
import type { Json } from '../app.ts';

const known = new Set(exitCodes.map(({ code }) => code));

/** Checks that a call succeeded or failed with a catalog error, not with an unexpected exception. */
export function checkReply({ exitCode, envelope, unexpected, operation }: Reply, what: string): void {
  expect(unexpected, what).toBeUndefined();
  // Operations that run skills use the exit codes of skills, each of which has a class.
  if (operation?.exitNamespace)
    expect([100, 101, 102].includes(exitCode) || exitNames[exitCode] !== undefined, `${what}: ${exitCode}`).toBe(true);
  else expect([...known], what).toContain(exitCode);
  // Only an error that says so in the catalog, such as a grade below `min`, has the exit code of an unexpected one.
  if (operation?.exitNamespace) expect(exitCode, what).not.toBe(70);
  const isState = exitCode >= 50 && exitCode <= 54 && !operation?.exitNamespace;
  const isAnswer = exitCode === 0 || (exitCode >= 100 && exitCode <= 102) || isState;
  expect(envelope.success, what).toBe(isAnswer);
  // The answer must be valid text for any reader.
  expect(JSON.stringify(envelope).isWellFormed(), what).toBe(true);
  if (envelope.success) return;
  const { code, message, fix } = envelope.error as Json;
  expect(/^E_(VALIDATION|SKILL)_/.test(code) || code in getErrorCatalog(), `${what}: ${code}`).toBe(true);
  expect(code, what).not.toBe('E_GENERAL_ERROR');
  expect(message.length, what).toBeLessThan(2000);
  expect(fix, what).toMatch(/^(?:Ask a person to run: )?(?:cleo|git) [^\0-\x1f]+$/);
}
