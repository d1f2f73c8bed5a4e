import type { Testing } from '#detect/model/project-context.ts';

/** Before the first policy exists, an agent may set the test command that `init --detect` finds, and nothing else. A policy exists as
 *  soon as a `verification` key is set. A command of a subfolder is not a tool, because tools run in the project folder. */
export const isFirstTestTool = (key: string, value: unknown, set: object, testing: Testing | undefined): boolean =>
  key === 'verification.tools.test' &&
  testing !== undefined &&
  !testing.folder &&
  value === testing.command &&
  !Object.keys(set).some((name) => name.startsWith('verification.'));
