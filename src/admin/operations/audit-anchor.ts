import { job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Line } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import '../errors.ts';
import { boolean, description, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { headsFile, parseHeads } from '../rules/audit-heads.ts';
import { anchorRef } from './shared/head-sources.ts';

export const adminAuditAnchor = job({
  name: 'admin.audit.anchor',
  summary: 'Write signed heads to git notes, and push them',
  params: strictObject({
    push: optional(pipe(boolean(), description('Push the notes; without this flag nothing leaves the machine'))),
    remote: optional(
      pipe(Line, description('Git remote to push to; by default the one of the branch, or origin'), metadata({ value: 'NAME' })),
    ),
  }),
  result: strictObject({
    anchor: strictObject({
      ref: string(),
      heads: pipe(number(), description('Number of heads in the notes of this commit')),
      commit: string(),
      pushedTo: optional(string()),
    }),
  }),
  errors: ['E_ANCHOR_FAILED', 'E_DEPENDENCY_ERROR', 'E_VALIDATION', 'E_NOT_FOUND'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  cli: { command: 'audit anchor' },
  example: { call: {}, exit: 4 },
  async run({ platform, project, config }, { push, remote }) {
    config();
    const { heads } = parseHeads(platform.files.readText(`${project.folder}/${headsFile}`) ?? '');
    if (heads.length === 0) throw new CleoError('E_NOT_FOUND', { what: 'signed head in', id: headsFile, fix: 'cleo audit sign' });
    const git = await platform.loadGit();
    const { root } = project;
    if ((await git.getPrefix(root)) === undefined)
      throw new CleoError('E_ANCHOR_FAILED', { problem: `${root} is not in a git repository`, fix: 'git init' });
    const commit = await git.resolveCommit(root, 'HEAD');
    if (!commit)
      throw new CleoError('E_ANCHOR_FAILED', {
        problem: 'the repository has no commit yet',
        fix: "git commit --allow-empty -m 'First commit'",
      });
    const target = push ? (remote ?? (await git.getRemote(root))) : undefined;
    if (push && !target)
      throw new CleoError('E_ANCHOR_FAILED', {
        problem: 'the repository has no remote',
        fix: 'cleo audit anchor',
        manual: 'Add a remote with git remote add, then call it again with --push',
      });
    if (target) await git.mergeRemoteNotes(root, target, anchorRef);
    // The whole file: a head that an earlier anchor did not carry is still evidence.
    await git.addNoteLines(
      root,
      anchorRef,
      commit,
      heads.map((head) => JSON.stringify(head)),
    );
    if (target) await git.pushNotes(root, target, anchorRef);
    return { anchor: { ref: anchorRef, heads: heads.length, commit, ...defined({ pushedTo: target }) } };
  },
});
