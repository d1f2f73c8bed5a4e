import { array, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { PermissionSchema, permissionMeanings } from '../model/nexus.ts';
import { openRegistry, registryErrors } from './shared/registry.ts';

export const nexusPermissions = query({
  name: 'nexus.permissions',
  summary: 'List the permissions of registered projects',
  params: strictObject({}),
  result: strictObject({ permissions: array(strictObject({ name: string(), permission: PermissionSchema, means: string() })) }),
  errors: [...registryErrors],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus permissions' },
  example: { world: ['nexus here'], call: {} },
  async run({ platform }) {
    const { projects } = (await openRegistry(platform)).read();
    const permissions = projects.map(({ name, permission }) => ({ name, permission, means: permissionMeanings[permission] }));
    return permissions.length > 0 ? { permissions } : noData({ permissions });
  },
});
