import type { BaseContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';

/** Returns the engine of the store; undefined if the configuration cannot be read, because `version` must work in a broken project. */
export function detectStore(ctx: Pick<BaseContext, 'platform' | 'config'>): 'sqlite' | 'postgres' | 'server' | undefined {
  try {
    const { databaseUrl, serverUrl } = ctx.platform;
    if (serverUrl || (!databaseUrl && (ctx.config['server.url'] || ctx.config['store.engine'] === 'server'))) return 'server';
    return (ctx.platform.databaseUrl ?? ctx.config['store.url']) || ctx.config['store.engine'] === 'postgres' ? 'postgres' : 'sqlite';
  } catch (error) {
    if (error instanceof CleoError) return undefined;
    throw error;
  }
}
