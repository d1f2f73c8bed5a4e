import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json } from '../app.ts';
import type { ModelApi, ToolCall } from './model-api.ts';

/** The folders of one run: everything a client reads or writes is below them. */
export interface Scratch {
  folder: string;
  home: string;
  project: string;
  /** Contains `cleo`. */
  bin: string;
  env: Record<string, string>;
}

export interface TurnOptions {
  prompt: string;
  /** Continues the last conversation of the project. */
  isResumed: boolean;
  /** Runs on a terminal, where a person types the prompts. */
  isInteractive: boolean;
  modelUrl: string;
}

/** A client as the tests use it. */
export interface TestClient {
  /** The name of `cleo setup`. */
  name: 'claude' | 'codex' | 'gemini' | 'opencode';
  api: ModelApi;
  /** Writes what a person would have set up: credentials, trust, the address of the model. */
  configure(scratch: Scratch): void;
  /** Adds a command that the client runs at the end of a turn; absent for a client without hooks. */
  addHook?(scratch: Scratch, command: string): void;
  getCommand(options: TurnOptions): { args: string[]; env: Record<string, string> };
  /** The name of a gateway as the model sees it. */
  getTool(gateway: 'query' | 'mutate'): Pick<ToolCall, 'name' | 'namespace'>;
  getShellCall(command: string): Pick<ToolCall, 'name' | 'args'>;
  /** Takes our text out of what the client made of it. Absent: the JSON is in the text as it is. */
  readToolText?(text: string): string | undefined;
  /** Takes the client's own words off the output of a tool. */
  readShellOutput(text: string): string;
}

export function writeFile(path: string, content: string | Json): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

export const writeHomeFile = ({ home }: Scratch, path: string, content: string | Json): void => writeFile(join(home, path), content);
