import { boolean, strictObject, string } from 'valibot';
import { alreadyExists, job } from '#core/define.ts';
import { formatEmptyRegistry } from '../rules/nexus-registry.ts';
import { openRegistry } from './shared/registry.ts';

export const nexusInit = job({
  name: 'nexus.init',
  summary: 'Create the project registry',
  params: strictObject({}),
  result: strictObject({ registry: strictObject({ path: string(), created: boolean() }) }),
  errors: ['E_NEXUS_REGISTRY_CORRUPT', 'E_FILE_ERROR'],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus init' },
  example: { call: {} },
  async run({ platform }) {
    const registry = await openRegistry(platform);
    const created = registry.create(formatEmptyRegistry());
    const result = { registry: { path: registry.path, created } };
    return created ? result : alreadyExists(result);
  },
});
