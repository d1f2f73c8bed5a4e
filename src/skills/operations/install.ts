import { join, resolve } from 'node:path';
import { array, boolean, check, description, maxLength, minLength, optional, pipe, strictObject, string } from 'valibot';
import { alreadyExists, answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { isStorable } from '#core/model/storable.ts';
import { SkillHeadSchema } from '../model/skill.ts';
import { listSkills } from './shared/find-skill.ts';

// Loaded on demand: no other operation needs it.
const loadSkillFolders = () => import('#platform/skill-folder.ts');
type SkillFolders = Awaited<ReturnType<typeof loadSkillFolders>>;
type Files = ReturnType<SkillFolders['readSkillFolder']>;

export const skillsInstall = job({
  name: 'skills.install',
  summary: 'Install a skill from a folder, or a bundled one by name',
  params: strictObject({
    path: pipe(
      string(),
      minLength(1, 'must not be empty'),
      maxLength(1000, 'must have at most 1000 characters'),
      check(isStorable, 'must not contain NUL or lone surrogates'),
      description('Folder with a SKILL.md, or the name of a bundled skill'),
    ),
    user: optional(pipe(boolean(), description('Install for all projects of this user'))),
    replace: optional(pipe(boolean(), description('Replace an installed skill of this name'))),
    dryRun: optional(pipe(boolean(), description('Only report what would be written'))),
  }),
  result: strictObject({ skill: SkillHeadSchema, files: array(string()) }),
  errors: ['E_FILE_ERROR', 'E_VALIDATION', 'E_ID_COLLISION', 'E_NOT_FOUND', 'E_LOCK_TIMEOUT', 'E_NOT_INITIALIZED'],
  tier: 1,
  needs: 'project',
  usesHost: true,
  cli: { command: ['skill install', 'skills install'], args: ['path'], view: async () => (await import('../view.ts')).skillView },
  example: { call: { path: 'ct-documentor' } },
  async run(ctx, { path, user = false, replace = false, dryRun = false }) {
    const { platform, project, changes, commandWith } = ctx;
    const folders = await loadSkillFolders();
    const files = await readSkillFiles(ctx, folders, path);
    const skill = await parseSkillHead(files, path, commandWith);
    const [base, boundary] = user ? [platform.home, platform.home] : [project.folder, project.root];
    const top = join(base, 'skills');
    const target = join(top, skill.name);
    platform.files.createFolder(base, true);
    if (!folders.isRealPathInside(boundary, target))
      throw new CleoError('E_FILE_ERROR', {
        path: top,
        problem: 'is a link that leads outside the project or the home folder',
        fix: 'cleo skill validate',
      });
    const head = {
      ...skill,
      origin: user ? ('user' as const) : ('project' as const),
      path: user ? join(target, 'SKILL.md') : `.cleo/skills/${skill.name}/SKILL.md`,
    };
    const result = { skill: head, files: files.map(({ name }) => name) };
    const exists = platform.files.exists(target);
    if (exists && isSameContent(folders, files, target)) return alreadyExists(result);
    if (exists && !replace) throw new CleoError('E_ID_COLLISION', { id: skill.name, fix: commandWith({ replace: true }) });
    changes[exists ? 'updated' : 'created'].push(skill.name);
    const shadowing = (await listSkills(platform)).skills.filter(({ name, origin }) => name === skill.name && origin !== head.origin);
    const warnings = shadowing.map(({ origin }) =>
      user && origin === 'project'
        ? `the ${origin} skill ${skill.name} still overrides this one`
        : `the ${origin} skill ${skill.name} is now overridden`,
    );
    if (dryRun) return answer(result, { dryRun: true, warnings });
    platform.files.createFolder(top, true);
    await platform.files.withLock(join(top, 'install'), () => folders.installSkill(target, files, platform.randomHex(8)));
    return answer(result, { warnings });
  },
});

/** Reads the files of a folder, otherwise of a bundled skill. Only the command line may read outside the project, because its caller
 *  can read those files anyway. */
async function readSkillFiles(
  { platform, project, gateway, commandWith }: JobContext,
  folders: SkillFolders,
  path: string,
): Promise<Files> {
  const folder = resolve(platform.folder, path);
  const createFileError = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo help skills.install' });
  if (gateway !== 'cli' && !folders.isRealPathInside(project.root, folder))
    throw new CleoError('E_FILE_ERROR', {
      path,
      problem: 'is outside the project; only the command line may install it',
      fix: commandWith({}),
      manual: `Run it on the command line: ${commandWith({})}`,
    });
  if (platform.files.isFolder(folder)) return folders.readSkillFolder(folder, createFileError);
  const source = await platform.skills.readBundled(path);
  if (source !== undefined) return [{ name: 'SKILL.md', bytes: Buffer.from(source), isExecutable: false }];
  if (platform.files.exists(folder)) throw createFileError('is not a folder');
  throw new CleoError('E_NOT_FOUND', { id: path, what: 'folder or bundled skill', fix: 'cleo skill list --origin bundled' });
}

/** Parses SKILL.md. The source folder may have another name than the skill. */
async function parseSkillHead(files: Files, path: string, commandWith: JobContext['commandWith']) {
  const { parseSkill } = await import('../rules/parse-skill.ts');
  const file = files.find(({ name }) => name === 'SKILL.md');
  if (!file) throw new CleoError('E_FILE_ERROR', { path, problem: 'contains no SKILL.md', fix: 'cleo help skills.install' });
  const { skill, remarks } = parseSkill(undefined, file.bytes.toString('utf8'));
  if (!skill)
    throw new CleoError('E_VALIDATION', {
      field: 'skill',
      problem: `is invalid: ${remarks.map(({ message }) => message).join('; ')}`,
      fix: commandWith({ path: 'ct-task-executor', dryRun: true }),
    });
  const { text: _, ...head } = skill;
  return head;
}

function isSameContent(folders: SkillFolders, files: Files, target: string): boolean {
  try {
    return folders.isSameSkill(
      files,
      folders.readSkillFolder(target, (problem) => new CleoError('E_FILE_ERROR', { path: target, problem, fix: '' })),
    );
  } catch {
    // The target cannot be read as a skill, so it is not the same.
    return false;
  }
}
