import { array, description, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
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
  errors: ['E_NOT_FOUND'],
  tier: 2,
  runsOn: 'server',
  needs: 'project',
  cli: { command: 'audit heads', raw: 'text' },
  example: { call: {}, exit: 4 },
  async run({ platform, project }) {
    const { heads } = parseHeads(platform.files.readText(`${project.folder}/${headsFile}`) ?? '');
    if (heads.length === 0) throw new CleoError('E_NOT_FOUND', { what: 'signed head in', id: headsFile, fix: 'cleo audit sign' });
    const text = heads.map((head) => `${JSON.stringify(head)}\n`).join('');
    return { heads, text };
  },
});
