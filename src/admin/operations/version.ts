import { number, optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/defined.ts';
import { schemaVersion } from '#store/schema-version.ts';

export const adminVersion = query({
  name: 'admin.version',
  aliases: ['system.version'],
  summary: 'Show the version of cleo and its environment',
  params: strictObject({}),
  result: strictObject({
    version: string(),
    runtime: string(),
    sqlite: optional(string()),
    schema: number(),
    store: optional(picklist(['sqlite', 'postgres'])),
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
    const store = project && detectStore(platform.databaseUrl, () => ctx.config['store.url']);
    return {
      version: platform.version,
      runtime: platform.runtime,
      ...defined({ sqlite }),
      schema: schemaVersion,
      ...defined({ store, root: project?.root }),
    };
  },
});

/** Undefined if the configuration cannot be read, because `version` must work in a broken project. */
function detectStore(address: string | undefined, configured: () => string): 'sqlite' | 'postgres' | undefined {
  try {
    return (address ?? configured()) ? 'postgres' : 'sqlite';
  } catch (error) {
    if (error instanceof CleoError) return undefined;
    throw error;
  }
}
