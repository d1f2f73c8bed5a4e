import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { asPerson, openApp, type TestApp } from './app.ts';
import { createTempFolder } from './temp-folder.ts';

export interface TestNexus {
  home: string;
  registry: string;
  apps: Record<string, TestApp>;
  readRegistry(): string;
  /** Runs the command line of an `error.fix` in the first project, or in the project that it names. */
  runFix(line: string): Promise<number>;
}

interface NexusOptions {
  permissions?: Record<string, string> | undefined;
  /** Puts all projects on the engine of this test run; by default only the first, and the others in files. */
  useSameEngine?: boolean;
}

/** Opens projects of one user, each with its own store, and registers them under their names. */
export async function openNexus(
  worlds: Record<string, string[]>,
  { permissions = {}, useSameEngine: alike = false }: NexusOptions = {},
): Promise<TestNexus> {
  const home = createTempFolder();
  const apps: Record<string, TestApp> = {};
  const config = process.env.CLEO_TEST_ENGINE === 'postgres' ? { store: { url: inject('databaseUrl') } } : {};
  for (const [i, [name, tasks]] of Object.entries(worlds).entries())
    apps[name] = await openApp({ tasks, env: { CLEO_HOME: home }, ...(i === 0 || alike ? { config } : { engine: 'sqlite' }) });
  const [first] = Object.values(apps);
  await first?.call('nexus.init');
  for (const [name, app] of Object.entries(apps)) await app.call('nexus.register', { name, permission: permissions[name] ?? 'read' });
  const registry = join(home, 'nexus.json');
  const runFix = async (line: string): Promise<number> => {
    const [, before, , root, command = ''] =
      /^(?:Ask a person to run: )?(mv (?:\S+) (?:\S+) && )?(CLEO_DATABASE_URL= )?(?:CLEO_ROOT=(\S+) )?(cleo .+)$/.exec(line) ?? [];
    if (before) {
      const [, from = '', to = ''] = before.split(' ');
      writeFileSync(to, readFileSync(from));
      rmSync(from);
    }
    const app = root ? Object.values(apps).find((each) => each.root === root) : first;
    // A person repairs the configuration.
    const isForPerson = line.startsWith('Ask a person') || command.startsWith('cleo config');
    return (await app!.cli(command, isForPerson ? asPerson : undefined)).exitCode;
  };
  return { home, registry, apps, readRegistry: () => readFileSync(registry, 'latin1'), runFix };
}

/** Changes a project's configuration file. */
export function updateConfig(app: TestApp, change: (config: Record<string, unknown>) => void): void {
  const path = join(app.root, '.cleo', 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  change(config);
  writeFileSync(path, JSON.stringify(config));
}
