import { boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { alreadyThere, job } from '../define.ts';

export const adminInit = job({
  name: 'admin.init',
  summary: 'Make this folder a project',
  params: strictObject({ store: optional(pipe(string(), description('PostgreSQL address; without it the embedded store'))) }),
  result: strictObject({ project: strictObject({ root: string(), created: boolean() }) }),
  errors: ['E_FILE_ERROR'],
  tier: 0,
  cli: { command: 'init' },
  needs: 'nothing',
  example: { call: {}, exit: 101 },
  async run({ platform, now }) {
    const { createSqlite } = await import('../../store/dialects/sqlite.ts');
    const project = platform.newProject();
    platform.files.makeFolder(project.folder);
    const made = await createSqlite(`${project.folder}/cleo.db`, now);
    return made ? { project: { root: project.root, created: true } } : alreadyThere({ project: { root: project.root, created: false } });
  },
});
