import { type CommandWords, isCommand, isCount, isStringList } from './config.ts';

/** The fields of `profiles.<name>`; absent ones are those of the shipped profile of this name, or the defaults. */
export type ProfileConfig = {
  argv?: CommandWords;
  prompt?: (typeof profileChoices.prompt)[number];
  output?: (typeof profileChoices.output)[number];
  env?: string[];
  timeoutMinutes?: number;
  concurrency?: number;
};

/** How an agent receives its prompt, and what it prints. */
export const profileChoices = {
  prompt: ['stdin', 'file', 'arg'],
  output: ['text', 'claude-json', 'codex-json', 'gemini-json', 'opencode-json'],
} as const;

/** Returns the problem with the fields of a profile, or undefined if they are valid. */
export function findProfileProblem(fields: Record<string, unknown>): string | undefined {
  const checks: Record<keyof ProfileConfig, [isValid: (value: unknown) => boolean, expected: string]> = {
    argv: [isCommand, 'a command: a string, or a list of words'],
    prompt: [isOneOf(profileChoices.prompt), `one of ${profileChoices.prompt.join(', ')}`],
    output: [isOneOf(profileChoices.output), `one of ${profileChoices.output.join(', ')}`],
    env: [isStringList, 'a list of names of variables'],
    timeoutMinutes: [isCount, 'a whole number'],
    concurrency: [isCount, 'a whole number'],
  };
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(checks, name)) return `has no field ${JSON.stringify(name.slice(0, 40))}; it has ${Object.keys(checks).join(', ')}`;
    const [isValid, expected] = checks[name as keyof ProfileConfig];
    if (!isValid(value)) return `needs ${expected} as ${name}`;
  }
  return undefined;
}

const isOneOf =
  (choices: readonly unknown[]) =>
  (value: unknown): boolean =>
    choices.includes(value);
