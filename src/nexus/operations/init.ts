import { boolean, strictObject, string } from 'valibot';
import { alreadyThere, job } from '#core/define.ts';
import { emptyRegistry } from '../rules/nexus-registry.ts';
import { registryOf } from './shared/registry.ts';

export const nexusInit = job({
  name: 'nexus.init',
  summary: 'Make the registry of projects, in the folder of the user',
  params: strictObject({}),
  result: strictObject({ registry: strictObject({ path: string(), created: boolean() }) }),
  errors: ['E_NEXUS_REGISTRY_CORRUPT', 'E_FILE_ERROR'],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus init' },
  example: { call: {} },
  async run({ platform }) {
    const registry = await registryOf(platform);
    const created = registry.create(emptyRegistry());
    const result = { registry: { path: registry.path, created } };
    return created ? result : alreadyThere(result);
  },
});
