import { array, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { Permission, permissionText } from '../model/nexus.ts';
import { registryErrors, registryOf } from './shared/registry.ts';

export const nexusPermissions = query({
  name: 'nexus.permissions',
  summary: 'Show what each project allows the others',
  params: strictObject({}),
  result: strictObject({ permissions: array(strictObject({ name: string(), permission: Permission, means: string() })) }),
  errors: [...registryErrors],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus permissions' },
  example: { world: ['nexus here'], call: {} },
  async run({ platform }) {
    const { projects } = (await registryOf(platform)).read();
    const permissions = projects.map(({ name, permission }) => ({ name, permission, means: permissionText[permission] }));
    return permissions.length > 0 ? { permissions } : noData({ permissions });
  },
});
