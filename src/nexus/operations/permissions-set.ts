import { description, pipe, strictObject } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { PermissionSchema, ProjectName, ProjectViewSchema } from '../model/nexus.ts';
import { replaceProject } from '../rules/nexus-registry.ts';
import { openRegistry, registryErrors, requireRegisteredProject, toProjectView } from './shared/registry.ts';

export const nexusPermissionsSet = job({
  name: 'nexus.permissions.set',
  summary: 'Set the permission of a project',
  params: strictObject({
    name: pipe(ProjectName, description('Name of the project')),
    permission: pipe(
      PermissionSchema,
      description('none closes the project, read opens its tasks, write lets sync --all update them, execute is reserved'),
    ),
  }),
  result: strictObject({ project: ProjectViewSchema }),
  errors: [...registryErrors, 'E_NEXUS_PROJECT_NOT_FOUND', 'E_LOCK_TIMEOUT'],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus permissions set', args: ['name', 'permission'] },
  example: { world: ['nexus here'], call: { name: 'here', permission: 'none' } },
  async run({ platform, changes, commandWith }, { name, permission }) {
    const { project, isChanged } = (await openRegistry(platform)).change((registry) => {
      const before = requireRegisteredProject(registry, name, (near) => commandWith({ name: near }));
      const isChanged = before.permission !== permission;
      const after = { ...before, permission };
      return { ...(isChanged ? { registry: replaceProject(registry, after) } : {}), result: { project: toProjectView(after), isChanged } };
    });
    if (!isChanged) return noChange({ project });
    changes.updated.push(name);
    return { project };
  },
});
