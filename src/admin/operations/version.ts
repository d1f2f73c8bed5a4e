import { number, optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { schemaVersion } from '#store/schema-version.ts';

export const adminVersion = query({
  name: 'admin.version',
  aliases: ['system.version'],
  summary: 'The version of cleo, and what it runs on',
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
    const store = project && storeOf(platform.databaseUrl, () => ctx.config['store.url']);
    return {
      version: platform.version,
      runtime: platform.runtime,
      ...(sqlite ? { sqlite } : {}),
      schema: schemaVersion,
      ...(store ? { store } : {}),
      ...(project ? { root: project.root } : {}),
    };
  },
});

/** Undefined where the configuration cannot be read: this answers whatever is broken. */
function storeOf(address: string | undefined, configured: () => string): 'sqlite' | 'postgres' | undefined {
  try {
    return (address ?? configured()) ? 'postgres' : 'sqlite';
  } catch (error) {
    if (error instanceof CleoError) return undefined;
    throw error;
  }
}
