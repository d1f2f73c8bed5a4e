import { join } from 'node:path';
import { grantPerson } from '../person-token.ts';
import type { FaultProject } from './processes.ts';

/** Changes the configuration, as a person would. `env` is the environment of the project. */
export async function setConfig(project: FaultProject, key: string, value: string, env: Record<string, string> = {}): Promise<void> {
  const person = await grantPerson(project.root, { CLEO_HOME: join(project.root, '.home'), ...env });
  await project.runOk(['config', 'set', key, value], { env: person });
}
