import { alreadyExists, answer, type JobContext, job } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import type { Platform, Project } from '#platform/port.ts';
import '../errors.ts';
import { description, optional, pipe, strictObject, string } from 'valibot';
import { PermissionSchema, ProjectName, ProjectViewSchema } from '../model/nexus.ts';
import { findFreeName, type RegistrationResult, registerProject } from '../rules/nexus-registry.ts';
import { openRegistry, registryErrors, toProjectView } from './shared/registry.ts';
import { getProjectState, readProjectKey } from './shared/remote-project.ts';

export const nexusRegister = job({
  name: 'nexus.register',
  summary: 'Register a project for other projects',
  params: strictObject({
    path: optional(pipe(FilePath, description('Folder of the project; the current project by default'))),
    name: optional(pipe(ProjectName, description('Name of the project; the folder name by default'))),
    permission: optional(pipe(PermissionSchema, description('Permission for other projects; read by default'))),
  }),
  result: strictObject({ project: ProjectViewSchema, movedFrom: optional(string()) }),
  errors: [...registryErrors, 'E_NEXUS_PROJECT_EXISTS', 'E_NOT_INITIALIZED', 'E_VALIDATION', 'E_LOCK_TIMEOUT'],
  tier: 2,
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus register', args: ['path'] },
  example: { world: ['nexus here'], call: { permission: 'write' }, exit: 76 },
  async run(ctx, { path, name, permission }) {
    const { platform, now, changes } = ctx;
    const file = await openRegistry(platform);
    const project = await resolveProject(ctx, path);
    const key = readProjectKey(platform, project);
    const registration = file.change((registry) => {
      const result = registerProject(
        registry,
        { name, permission, path: project.root, key, at: now },
        (each) => getProjectState(platform, each) === 'ok',
      );
      if (result.kind === 'refused') throw createExistsError(ctx, result, project, registry.projects);
      return { result, ...('registry' in result ? { registry: result.registry } : {}) };
    });
    if (registration.kind === 'exists') return alreadyExists({ project: toProjectView(registration.project) });
    changes[registration.kind === 'new' ? 'created' : 'updated'].push(registration.project.name);
    const { from } = registration;
    return answer(
      { project: toProjectView(registration.project), ...defined({ movedFrom: from }) },
      { warnings: warnStoreUrl(platform, project) },
    );
  },
});

async function resolveProject(ctx: JobContext, path: string | undefined): Promise<Project> {
  const { platform } = ctx;
  const { findProjectAt, resolveFolder } = await import('#platform/registry.ts');
  const folder = resolveFolder(platform.folder, path ?? ctx.project.root);
  const found = folder === undefined ? undefined : findProjectAt(folder, platform.home);
  if (found) return found;
  throw new CleoError('E_VALIDATION', {
    field: 'path',
    problem: folder ? `${folder} is not a project: it has no .cleo folder` : `${path} is not a folder`,
    fix: folder ? `cd ${quote(folder)} && cleo init` : 'cleo help nexus register',
    ...(folder ? { manual: `Run cleo init in ${folder}` } : {}),
  });
}

function createExistsError(
  { commandWith, commandAs }: JobContext,
  { project: known, why }: Extract<RegistrationResult, { kind: 'refused' }>,
  { root }: Project,
  projects: { name: string }[],
): CleoError {
  const words = {
    'name taken': [
      `The name ${known.name} is used by the project in ${known.path}`,
      commandWith({ name: findFreeName(known.name, projects) }),
    ],
    'other name': [`The project is already registered as ${known.name}`, commandAs(['nexus', 'register', root, '--name', known.name])],
    'other permission': [
      `The project is already registered as ${known.name} with the permission ${known.permission}`,
      'cleo nexus permissions',
    ],
    copy: [
      `${root} has the project.key of ${known.name} in ${known.path}, which still exists; a copy needs a key of its own`,
      `CLEO_ROOT=${quote(root)} cleo config set project.key ${quote(findFreeName(`${known.key.slice(0, 40)}_copy`, []))}`,
    ],
  } as const;
  const [problem, fix] = words[why];
  return new CleoError('E_NEXUS_PROJECT_EXISTS', { name: known.name, path: known.path, problem, fix });
}

/** Warns if only the environment names the store, because other projects read only the project's own configuration. */
function warnStoreUrl({ databaseUrl, config, getProject }: Platform, { root, folder }: Project): string[] {
  if (!databaseUrl || getProject()?.root !== root) return [];
  const { values } = config.inspect(config.projectFile({ root, folder }));
  return values['store.url']
    ? []
    : ['only CLEO_DATABASE_URL names its store, which other projects cannot see; set it with cleo config set store.url'];
}
