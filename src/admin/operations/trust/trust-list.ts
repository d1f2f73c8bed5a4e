import { array, boolean, number, optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';

export const adminTrustList = query({
  name: 'admin.trust.list',
  summary: 'List the projects that this user has trusted',
  params: strictObject({}),
  result: strictObject({
    projects: array(
      strictObject({
        path: string(),
        trustedAt: string(),
        trustedBy: string(),
        owner: optional(number()),
        settings: array(string()),
        files: array(string()),
        /** The folder no longer exists. */
        isGone: optional(boolean()),
      }),
    ),
  }),
  errors: [],
  tier: 2,
  needs: 'nothing',
  acceptsUntrusted: true,
  cli: { command: 'trust list' },
  example: { call: {}, exit: 100 },
  async run({ platform }) {
    const projects = (await platform.loadTrust()).list().map(({ path, trustedAt, trustedBy, owner, values, files }) => ({
      path,
      trustedAt,
      trustedBy,
      ...(owner === undefined ? {} : { owner }),
      settings: Object.keys(values),
      files: Object.keys(files),
      ...(platform.files.isFolder(path) ? {} : { isGone: true }),
    }));
    return projects.length > 0 ? { projects } : noData({ projects });
  },
});
