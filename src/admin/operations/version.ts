import { number, optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { schemaVersion } from '#store/schema-version.ts';
import { detectStore } from './shared/detect-store.ts';

export const adminVersion = query({
  name: 'admin.version',
  aliases: ['system.version'],
  summary: 'Show the version of cleo and its environment',
  params: strictObject({}),
  result: strictObject({
    version: string(),
    build: picklist(['node', 'native']),
    runtime: string(),
    sqlite: optional(string()),
    schema: number(),
    store: optional(picklist(['sqlite', 'postgres', 'server'])),
    root: optional(string()),
  }),
  errors: [],
  tier: 0,
  needs: 'nothing',
  cli: { command: 'version' },
  example: { call: {} },
  async run(ctx) {
    const { platform } = ctx;
    const sqlite = await ctx.sqliteVersion();
    const project = platform.getProject();
    const store = project && detectStore(ctx);
    return {
      version: platform.version,
      build: platform.build,
      runtime: platform.runtime,
      ...defined({ sqlite }),
      schema: schemaVersion,
      ...defined({ store, root: project?.root }),
    };
  },
});
