import { array, description, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { SignedHeadSchema } from '../model/signed-head.ts';
import { headsFile, parseHeads } from '../rules/audit-heads.ts';

export const adminAuditHeads = query({
  name: 'admin.audit.heads',
  summary: 'Print the signed heads of the log, one per line',
  params: strictObject({}),
  result: strictObject({
    heads: array(SignedHeadSchema),
    text: pipe(string(), description('The heads as lines, to store elsewhere')),
  }),
  errors: [],
  tier: 2,
  needs: 'project',
  cli: { command: 'audit heads', raw: 'text' },
  example: { call: {}, exit: 100 },
  async run({ platform, project }) {
    const { heads } = parseHeads(platform.files.readText(`${project.folder}/${headsFile}`) ?? '');
    const text = heads.map((head) => `${JSON.stringify(head)}\n`).join('');
    return answer({ heads, text }, heads.length === 0 ? { exit: 100 } : {});
  },
});
