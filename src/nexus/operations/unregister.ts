import { description, pipe, strictObject } from 'valibot';
import { job } from '#core/define.ts';
import { ProjectName, ProjectViewSchema } from '../model/nexus.ts';
import { openRegistry, registryErrors, requireRegisteredProject, toProjectView } from './shared/registry.ts';

export const nexusUnregister = job({
  name: 'nexus.unregister',
  summary: 'Remove a project from the registry',
  params: strictObject({ name: pipe(ProjectName, description('Registered name of the project')) }),
  result: strictObject({ project: ProjectViewSchema }),
  errors: [...registryErrors, 'E_NEXUS_PROJECT_NOT_FOUND', 'E_LOCK_TIMEOUT'],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus unregister', args: ['name'] },
  example: { world: ['nexus here'], call: { name: 'here' } },
  async run({ platform, changes, commandWith }, { name }) {
    const project = (await openRegistry(platform)).change((registry) => {
      const result = requireRegisteredProject(registry, name, (near) => commandWith({ name: near }));
      return { registry: { ...registry, projects: registry.projects.filter((each) => each !== result) }, result };
    });
    changes.deleted.push(name);
    return { project: toProjectView(project) };
  },
});
