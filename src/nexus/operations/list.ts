import { array, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { ProjectViewSchema } from '../model/nexus.ts';
import { openRegistry, registryErrors, toProjectView } from './shared/registry.ts';
import { findOwnEntry, getProjectState } from './shared/remote-project.ts';

export const nexusList = query({
  name: 'nexus.list',
  summary: 'List registered projects with permission and state',
  params: strictObject({}),
  result: strictObject({ projects: array(ProjectViewSchema) }),
  errors: [...registryErrors],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus list', view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['nexus here'], call: {} },
  async run({ platform }) {
    const registry = (await openRegistry(platform)).read();
    const own = findOwnEntry(platform, registry);
    const projects = registry.projects.map((project) => ({
      ...toProjectView(project),
      state: project.permission === 'none' ? ('closed' as const) : getProjectState(platform, project),
      ...(project.name === own?.name ? { here: true as const } : {}),
    }));
    return projects.length > 0 ? { projects } : noData({ projects });
  },
});
