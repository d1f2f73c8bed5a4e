import { join, resolve } from 'node:path';
import { array, boolean, description, maxLength, minLength, optional, pipe, strictObject, string } from 'valibot';
import { alreadyThere, answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SkillHead } from '../model/skill.ts';
import { skillsOf } from './shared/found.ts';

/** Files of skills; only this loads it. */
const loadDisk = () => import('#platform/skill-folder.ts');
type Disk = Awaited<ReturnType<typeof loadDisk>>;
type Files = ReturnType<Disk['readSkillFolder']>;

export const skillsInstall = job({
  name: 'skills.install',
  summary: 'Copy a skill into the project, or for the user; a skill of ours by its name, to change it',
  params: strictObject({
    path: pipe(
      string(),
      minLength(1, 'must not be empty'),
      maxLength(1000, 'must have at most 1000 characters'),
      description('The folder that holds its SKILL.md, or the name of a skill that comes with cleo'),
    ),
    user: optional(pipe(boolean(), description('For all projects of this user'))),
    replace: optional(pipe(boolean(), description('In place of the one that is there'))),
    dryRun: optional(pipe(boolean(), description('Only say what would be written'))),
  }),
  result: strictObject({ skill: SkillHead, files: array(string()) }),
  errors: ['E_FILE_ERROR', 'E_VALIDATION', 'E_ID_COLLISION', 'E_NOT_FOUND', 'E_LOCK_TIMEOUT', 'E_NOT_INITIALIZED'],
  tier: 1,
  needs: 'project',
  scope: 'admin',
  cli: { command: ['skill install', 'skills install'], args: ['path'] },
  example: { call: { path: 'ct-documentor' } },
  async run(ctx, { path, user = false, replace = false, dryRun = false }) {
    const { platform, project, changes, commandWith } = ctx;
    const disk = await loadDisk();
    const files = await filesOf(ctx, disk, path);
    const skill = await headOf(files, path, commandWith);
    const [base, within] = user ? [platform.home, platform.home] : [project.folder, project.root];
    const top = join(base, 'skills');
    const target = join(top, skill.name);
    platform.files.makeFolder(base);
    if (!disk.isInside(within, target))
      throw new CleoError('E_FILE_ERROR', { path: top, problem: 'leads out of its place', fix: 'cleo skill validate' });
    const head = {
      ...skill,
      origin: user ? ('user' as const) : ('project' as const),
      path: user ? join(target, 'SKILL.md') : `.cleo/skills/${skill.name}/SKILL.md`,
    };
    const result = { skill: head, files: files.map(({ name }) => name) };
    const isThere = platform.files.exists(target);
    if (isThere && isSame(disk, files, target)) return alreadyThere(result);
    if (isThere && !replace) throw new CleoError('E_ID_COLLISION', { id: skill.name, fix: commandWith({ replace: true }) });
    changes[isThere ? 'updated' : 'created'].push(skill.name);
    const hidden = (await skillsOf(platform)).skills.filter(({ name, origin }) => name === skill.name && origin !== head.origin);
    const warnings = hidden.map(
      ({ origin }) =>
        `${skill.name} of the ${origin === 'bundled' ? 'package' : origin} is ${user && origin === 'project' ? 'still' : 'no longer'} in force`,
    );
    if (dryRun) return answer(result, { dryRun: true, warnings });
    platform.files.makeFolder(top);
    platform.files.alone(join(top, 'install'), () => disk.placeSkill(target, files, platform.randomHex(8)));
    return answer(result, { warnings });
  },
});

/** A folder; else one of ours. Only who typed a path may read outside the project with it. */
async function filesOf({ platform, project, gateway, commandWith }: JobContext, disk: Disk, path: string): Promise<Files> {
  const folder = resolve(platform.folder, path);
  const refuse = (problem: string): CleoError => new CleoError('E_FILE_ERROR', { path, problem, fix: 'cleo help skills.install' });
  if (gateway !== 'cli' && !disk.isInside(project.root, folder))
    throw new CleoError('E_FILE_ERROR', {
      path,
      problem: 'lies outside the project; on the command line that is allowed',
      fix: commandWith({}),
    });
  if (platform.files.isFolder(folder)) return disk.readSkillFolder(folder, refuse);
  const source = await platform.skills.source(path);
  if (source !== undefined) return [{ name: 'SKILL.md', bytes: Buffer.from(source), isExecutable: false }];
  if (platform.files.exists(folder)) throw refuse('is no folder');
  throw new CleoError('E_NOT_FOUND', { id: path, what: 'folder, and no skill of ours,', fix: 'cleo skill list --origin bundled' });
}

/** What its SKILL.md says of it. The folder it comes from may be called otherwise. */
async function headOf(files: Files, path: string, commandWith: JobContext['commandWith']) {
  const { readSkill } = await import('../rules/skill-read.ts');
  const file = files.find(({ name }) => name === 'SKILL.md');
  if (!file) throw new CleoError('E_FILE_ERROR', { path, problem: 'holds no SKILL.md', fix: 'cleo help skills.install' });
  const { skill, remarks } = readSkill(undefined, file.bytes.toString('utf8'));
  if (!skill)
    throw new CleoError('E_VALIDATION', {
      field: 'skill',
      problem: `cannot be taken: ${remarks.map(({ message }) => message).join('; ')}`,
      fix: commandWith({ path: 'ct-task-executor', dryRun: true }),
    });
  const { text: _, ...head } = skill;
  return head;
}

function isSame(disk: Disk, files: Files, target: string): boolean {
  try {
    return disk.isSameSkill(
      files,
      disk.readSkillFolder(target, (problem) => new CleoError('E_FILE_ERROR', { path: target, problem, fix: '' })),
    );
  } catch {
    // Something else is there; it is not the same.
    return false;
  }
}
