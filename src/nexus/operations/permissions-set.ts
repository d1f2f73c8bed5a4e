import { description, pipe, strictObject } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { Permission, ProjectName, ProjectView } from '../model/nexus.ts';
import { registryErrors, registryOf, requireProject, viewOf } from './shared/registry.ts';

export const nexusPermissionsSet = job({
  name: 'nexus.permissions.set',
  summary: 'Say what a project allows the others',
  params: strictObject({
    name: pipe(ProjectName, description('The project')),
    permission: pipe(
      Permission,
      description('none closes it, read opens its tasks, write lets sync --all move them, execute is kept for later'),
    ),
  }),
  result: strictObject({ project: ProjectView }),
  errors: [...registryErrors, 'E_NEXUS_PROJECT_NOT_FOUND', 'E_LOCK_TIMEOUT'],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus permissions set', args: ['name', 'permission'] },
  example: { world: ['nexus here'], call: { name: 'here', permission: 'none' } },
  async run({ platform, changes, commandWith }, { name, permission }) {
    const { before, after } = (await registryOf(platform)).change((registry) => {
      const before = requireProject(registry, { name, retry: (near) => commandWith({ name: near }) });
      const after = { ...before, permission };
      if (before.permission === permission) return { result: { before, after } };
      return {
        registry: { ...registry, projects: registry.projects.map((each) => (each === before ? after : each)) },
        result: { before, after },
      };
    });
    if (before.permission === permission) return noChange({ project: viewOf(after) });
    changes.updated.push(name);
    return { project: viewOf(after) };
  },
});
