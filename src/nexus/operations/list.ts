import { array, strictObject } from 'valibot';
import { noData, query } from '#core/define.ts';
import { ProjectView } from '../model/nexus.ts';
import { ownEntry, stateOf } from './shared/far.ts';
import { registryErrors, registryOf, viewOf } from './shared/registry.ts';

export const nexusList = query({
  name: 'nexus.list',
  summary: 'List the registered projects, with what others may do there and whether each is still in its place',
  params: strictObject({}),
  result: strictObject({ projects: array(ProjectView) }),
  errors: [...registryErrors],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus list' },
  example: { world: ['nexus here'], call: {} },
  async run({ platform }) {
    const registry = (await registryOf(platform)).read();
    const own = ownEntry(platform, registry);
    const projects = registry.projects.map((project) => ({
      ...viewOf(project),
      state: project.permission === 'none' ? ('closed' as const) : stateOf(platform, project),
      ...(project.name === own?.name ? { here: true as const } : {}),
    }));
    return projects.length > 0 ? { projects } : noData({ projects });
  },
});
