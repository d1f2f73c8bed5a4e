import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { openHouse, type TestHouse } from './house.ts';
import { temporary } from './temporary.ts';

export interface Nexus {
  /** Where the registry is. */
  home: string;
  registry: string;
  houses: Record<string, TestHouse>;
  bytes(): string;
  /** Runs a command line as `error.fix` prints it, in this house or, where it names another folder, in that one. */
  play(line: string): Promise<number>;
}

interface NexusOptions {
  permissions?: Record<string, string> | undefined;
  /** All of them on the engine of this test run; otherwise the first, and the others in files. */
  alike?: boolean;
}

/** Projects of one user, each with a store of its own, registered under their names. The first is the one whose fixes are played. */
export async function openNexus(worlds: Record<string, string[]>, { permissions = {}, alike = false }: NexusOptions = {}): Promise<Nexus> {
  const home = temporary();
  const houses: Record<string, TestHouse> = {};
  const config = process.env.CLEO_TEST_ENGINE === 'postgres' ? { store: { url: inject('databaseUrl') } } : {};
  for (const [i, [name, tasks]] of Object.entries(worlds).entries())
    houses[name] = await openHouse({ tasks, env: { CLEO_HOME: home }, ...(i === 0 || alike ? { config } : { engine: 'sqlite' }) });
  const [first] = Object.values(houses);
  await first?.call('nexus.init');
  for (const [name, house] of Object.entries(houses)) await house.call('nexus.register', { name, permission: permissions[name] ?? 'read' });
  const registry = join(home, 'nexus.json');
  const play = async (line: string): Promise<number> => {
    const [, before, , root, command = ''] =
      /^(mv (?:\S+) (?:\S+) && )?(CLEO_DATABASE_URL= )?(?:CLEO_ROOT=(\S+) )?(cleo .+)$/.exec(line) ?? [];
    if (before) {
      const [, from = '', to = ''] = before.split(' ');
      writeFileSync(to, readFileSync(from));
      rmSync(from);
    }
    const house = root ? Object.values(houses).find((each) => each.root === root) : first;
    return (await house!.cli(command)).exitCode;
  };
  return { home, registry, houses, bytes: () => readFileSync(registry, 'latin1'), play };
}

/** Changes a project's configuration behind its back. */
export function reconfigure(house: TestHouse, change: (config: Record<string, unknown>) => void): void {
  const path = join(house.root, '.cleo', 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  change(config);
  writeFileSync(path, JSON.stringify(config));
}
