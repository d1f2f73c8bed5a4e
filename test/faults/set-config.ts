import { join } from 'node:path';
import type { ConfigKey, ConfigValue } from '../../src/core/model/config.ts';
import { parseConfigValue } from '../../src/core/model/config-text.ts';
import { isSharedSetting } from '../../src/core/rules/shared-settings.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { grantPerson } from '../person-token.ts';
import { trustProject } from '../trust.ts';
import type { FaultProject } from './processes.ts';

/** Changes the configuration, as a person would. `env` is the environment of the project. */
export async function setConfig(project: FaultProject, key: ConfigKey, value: string, env: Record<string, string> = {}): Promise<void> {
  const own = { CLEO_HOME: join(project.root, '.home'), ...env };
  // A token of a database that only a variable names does not change the settings of this machine, so a person edits the file.
  if (env.CLEO_DATABASE_URL && !isSharedSetting(key)) {
    const { config, getProject } = createPlatform(own, project.root, '0.0.0-test');
    await config.set(config.projectFile(getProject()!), key, parseConfigValue(key, value) as ConfigValue);
    return trustProject(project.root, own);
  }
  await project.runOk(['config', 'set', key, value], { env: await grantPerson(project.root, own) });
}
