import { listCommandNames } from '#core/command-line.ts';
import type { CommandDefinition, RegistryEntry } from '#core/define.ts';
import type { App } from '#dispatch/dispatch.ts';
import type { CommandNames } from './arguments.ts';

export type ProcessCommandEntry = CommandNames & { process: CommandDefinition };

/** Lists all commands, including processes. These are loaded only when a command is not an operation. */
export async function listAllCommands({ registry }: Pick<App, 'registry'>): Promise<(RegistryEntry | ProcessCommandEntry)[]> {
  const { processes } = await import('#admin/operations/shared/processes.ts');
  const entries = processes.map((process) => {
    const { select } = process.cli;
    return { name: process.name, aliases: [], commands: listCommandNames(process), ...(select ? { select } : {}), process };
  });
  return [...registry.entries, ...entries];
}
