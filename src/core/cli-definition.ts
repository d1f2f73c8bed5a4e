import type { EditorForm } from './model/editor-form.ts';
import type { View } from './terminal/view.ts';

/** The command line of an operation. Flags and help are derived from `params`. */
export interface CliDefinition {
  /** The words of the command. With a list, the first entry is the documented one and the others are aliases. */
  command: string | string[];
  /** Parameters passed by position. */
  args?: string[];
  /** Joins all remaining words with spaces into the last argument. */
  variadic?: true;
  /** The list parameter that takes the place of the last argument if several words are given for it. */
  several?: string;
  /** Single-letter flags: `{ p: 'priority' }`. */
  short?: Record<string, string>;
  /** The flag that selects this operation when several operations share one command. */
  select?: string;
  /** Parameters of this operation that select it as well. */
  selectedBy?: string[];
  /** Selects this operation when the shared command is called without parameters. */
  isDefault?: true;
  /** Parameters read from a file or, with `-`, from standard input. `isPiped` makes standard input the default: always, or if the
   *  parameter that it names is given. */
  read?: Record<string, { flag?: string; as: 'json' | 'text'; isPiped?: true | string; files?: FileSelector }>;
  /** When the parameter `dash` is `-`, the bytes of standard input become the parameter `fills`. Binary input is passed as base64
   *  with `encoding: 'base64'`. */
  stdinParam?: { dash: string; fills: string };
  /** The result key that is printed as plain text, also when stdout is not a terminal. `--json` still prints JSON. */
  raw?: string;
  /** The event of a job whose `text` is written as it comes, before the answer; not with `--json`. */
  streamEvent?: string;
  /** Prints `raw` byte for byte, without adding a final line break; `encoding: base64` in the result is decoded first. */
  isExact?: true;
  /** Prints `raw` without colour when stdout is not a terminal, because the text is pasted into prompts. */
  isPrompt?: true;
  /** The result key that lists command lines. The CLI runs them in a temporary project and prints their output. */
  demo?: string;
  /** Parameters of a call whose answer is printed for people on a terminal, unless the call has them. */
  terminalParams?: Record<string, unknown>;
  /** Text parameters that the command line can also read: `-` is standard input, `--<name>-file` a file, and `--edit` opens an editor. */
  texts?: string[];
  /** The form that `--edit` opens in an editor. */
  editor?: () => Promise<EditorForm>;
  /** The command that searches for a text, and the filters it takes. A caller who passes this command a text means that one. */
  search?: { command: string; params: readonly string[] };
  /** The question to a person on a terminal: a title that is missing, the changes of a call without any, or a confirmation. */
  asks?: 'title' | 'changes' | 'confirmation';
  /** The forms of its result keys on a terminal. Loaded only when an answer is printed for people. */
  view?: () => Promise<View>;
}

/** Chooses the files that are read when a path is a folder: those below the first existing entry of `folders`, otherwise those of
 *  the folder itself, filtered by `wants`. */
export type FileSelector = (params: Record<string, unknown>) => Promise<{ folders: string[]; wants(name: string): boolean }>;

/** A word that means an operation with some of its parameters, such as `comment` for the notes of `update`. */
export interface Shortcut {
  /** Parameters passed by position. */
  args: string[];
  /** Joins all remaining words with spaces into the last argument. */
  variadic?: true;
  /** Parameters that the word itself sets. */
  params?: Record<string, unknown>;
  /** Names that callers use for its parameters. */
  paramAliases?: Record<string, string>;
}
