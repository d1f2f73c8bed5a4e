import '../errors.ts';
import { description, optional, pipe, strictObject, string } from 'valibot';
import { alreadyThere, answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { FilePath } from '#core/model/scalars.ts';
import type { Platform, Project } from '#platform/port.ts';
import { Permission, ProjectName, ProjectView } from '../model/nexus.ts';
import { freeName, type Registration, register } from '../rules/nexus-registry.ts';
import { keyOf, stateOf } from './shared/far.ts';
import { registryErrors, registryOf, viewOf } from './shared/registry.ts';

export const nexusRegister = job({
  name: 'nexus.register',
  summary: 'Register a project, so that others can ask it and wait for its tasks',
  params: strictObject({
    path: optional(pipe(FilePath, description('Its folder; without it the project you are in'))),
    name: optional(pipe(ProjectName, description('What others call it; without it the name of its folder'))),
    permission: optional(pipe(Permission, description('What others may do; read unless it says otherwise'))),
  }),
  result: strictObject({ project: ProjectView, movedFrom: optional(string()) }),
  errors: [...registryErrors, 'E_NEXUS_PROJECT_EXISTS', 'E_NOT_INITIALIZED', 'E_VALIDATION', 'E_LOCK_TIMEOUT'],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus register', args: ['path'] },
  example: { world: ['nexus here'], call: { permission: 'write' }, exit: 76 },
  async run(ctx, { path, name, permission }) {
    const { platform, now, changes } = ctx;
    const file = await registryOf(platform);
    const project = await projectFor(ctx, path);
    const key = keyOf(platform, project);
    const done = file.change((registry) => {
      const result = register(registry, { name, permission, path: project.root, key, at: now }, (each) => stateOf(platform, each) === 'ok');
      if (result.is === 'refused') throw taken(ctx, result, project, registry.projects);
      return { result, ...('registry' in result ? { registry: result.registry } : {}) };
    });
    if (done.is === 'there') return alreadyThere({ project: viewOf(done.project) });
    changes[done.is === 'new' ? 'created' : 'updated'].push(done.project.name);
    const { from } = done;
    return answer({ project: viewOf(done.project), ...(from ? { movedFrom: from } : {}) }, { warnings: storeWarning(platform, project) });
  },
});

async function projectFor(ctx: JobContext, path: string | undefined): Promise<Project> {
  const { platform } = ctx;
  const { projectAt, realFolder } = await import('#platform/registry.ts');
  const folder = realFolder(platform.folder, path ?? ctx.project.root);
  const found = folder === undefined ? undefined : projectAt(folder, platform.home);
  if (found) return found;
  throw new CleoError('E_VALIDATION', {
    field: 'path',
    problem: folder ? `${folder} is no project: it has no .cleo folder` : `${path} is no folder`,
    fix: folder ? `cd ${quote(folder)} && cleo init` : 'cleo help nexus register',
  });
}

function taken(
  { commandWith, commandAs }: JobContext,
  { project: known, why }: Extract<Registration, { is: 'refused' }>,
  { root }: Project,
  projects: { name: string }[],
): CleoError {
  const words = {
    'name taken': [`${known.name} is the name of the project in ${known.path}`, commandWith({ name: freeName(known.name, projects) })],
    'other name': [
      `The project is registered as ${known.name} already, and has one name`,
      commandAs(['nexus', 'register', root, '--name', known.name]),
    ],
    'other permission': [
      `The project is registered as ${known.name} already, with the permission ${known.permission}`,
      'cleo nexus permissions',
    ],
    copy: [
      `${root} has the project.key of ${known.name} in ${known.path}, which is still there; a copy needs a key of its own`,
      `CLEO_ROOT=${quote(root)} cleo config set project.key ${quote(freeName(`${known.key.slice(0, 40)}_copy`, []))}`,
    ],
  } as const;
  const [problem, fix] = words[why];
  return new CleoError('E_NEXUS_PROJECT_EXISTS', { name: known.name, path: known.path, problem, fix });
}

/** Others go by the project's own configuration alone. */
function storeWarning({ databaseUrl, config, project }: Platform, { root, folder }: Project): string[] {
  if (!databaseUrl || project()?.root !== root) return [];
  const { values } = config.inspect(config.projectFile({ root, folder }));
  return values['store.url']
    ? []
    : ['its store is named only by CLEO_DATABASE_URL, which other projects do not go by; write it down with cleo config set store.url'];
}
