import { commandsOf, flagOf } from '#core/command-line.ts';
import type { CommandDefinition, Registry } from '#core/define.ts';
import { globalFlags } from '#core/global-flags.ts';
import type { Shape } from '#core/shape.ts';
import { argumentsOf, flagsOf } from '#core/usage.ts';
import { processes } from './processes.ts';

/** Ids that are listed when they are wanted, and by which command. */
export const listed = { '@sessions': 'session list', '@runs': 'trace list', '@reviews': 'review list' } as const;

/** What may stand for a value: fixed words, ids, a scope, another command, a file, or anything. */
export type Values = string[] | '@tasks' | keyof typeof listed | '@scopes' | '@commands' | '@files' | '@any';

export interface Flag {
  flag: string;
  about: string;
  /** A switch has none. */
  values?: Values;
}

export interface Command {
  /** Its words, e.g. `relates add`. */
  words: string;
  about: string;
  /** By position; the last goes on where it is a list. */
  args: { values: Values; isList: boolean }[];
  flags: Flag[];
}

/** Everything that can be typed, read from the definitions. Operations that share their words are one command. */
export async function wordsOf(catalog: Registry): Promise<Command[]> {
  const commands = new Map<string, Command>();
  const operations: CommandDefinition[] = await Promise.all(catalog.entries.map((entry) => entry.load()));
  for (const operation of [...operations, ...processes]) {
    for (const words of commandsOf(operation)) {
      const command = commandFrom(operation, words);
      const known = commands.get(words);
      if (!known) commands.set(words, command);
      else {
        known.flags.push(...command.flags.filter(({ flag }) => !known.flags.some((other) => other.flag === flag)));
        if (!operation.cli.select) Object.assign(known, { about: command.about, args: command.args });
      }
    }
  }
  return [...commands.values()].sort((a, b) => (a.words < b.words ? -1 : 1));
}

function commandFrom(operation: CommandDefinition, words: string): Command {
  const { select, read = {} } = operation.cli;
  const flags: Flag[] = flagsOf(operation).map(({ shape, flags: [flag = ''], isFile, value }) => ({
    flag,
    about: shape.about,
    ...(value ? { values: valuesOf(shape, isFile) } : {}),
  }));
  if (select && !flags.some(({ flag }) => flag === flagOf(select))) flags.push({ flag: flagOf(select), about: operation.summary });
  return {
    words,
    about: operation.summary,
    args: argumentsOf(operation).map((shape) => ({
      values: valuesOf(shape, read[shape.name] !== undefined),
      isList: shape.type === 'list',
    })),
    flags,
  };
}

function valuesOf(shape: Shape, isFile: boolean): Values {
  if (isFile) return '@files';
  return shape.choices ?? valuesFor(shape.value);
}

/** By what stands for the value in help. */
const placeholders: Record<string, Values> = {
  ...{ 'T###': '@tasks', SESSION: '@sessions', SCOPE: '@scopes', COMMAND: '@commands', FILE: '@files', 'FILE|-': '@files' },
  ...{ RUN: '@runs', 'RUN|GLOB': '@runs', REVIEW: '@reviews' },
} as const;
const valuesFor = (placeholder = ''): Values => placeholders[placeholder] ?? '@any';

export const everywhere: Flag[] = globalFlags.map(({ flags: [flag = ''], about, value }) => ({
  flag,
  about,
  ...(value ? { values: valuesFor(value) } : {}),
}));
