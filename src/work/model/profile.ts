import type { ProfileConfig, profileChoices } from '#core/model/profile-config.ts';

type PromptMode = (typeof profileChoices.prompt)[number];
export type OutputFormat = (typeof profileChoices.output)[number];

/** A command that starts an agent, with all its settings. */
export interface Profile {
  name: string;
  /** `{prompt}`, `{promptFile}`, `{root}`, `{output}`, `{agent}` and `{home}` are replaced in each word. */
  argv: string[];
  prompt: PromptMode;
  output: OutputFormat;
  /** Names of the variables that the agent receives besides the basic ones. */
  env: string[];
  timeoutMinutes: number;
  /** Agents of this profile at the same time over all machines; 0 means no limit. */
  concurrency: number;
}

export type ShippedProfile = Required<Pick<ProfileConfig, 'prompt' | 'output' | 'env'>> & { argv?: string[] };
