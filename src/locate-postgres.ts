import type { Config } from './core/model/config.ts';
import type { Platform, Project } from './platform/port.ts';
import type { PostgresOptions } from './store/dialects/postgres.ts';

/** Describes the server of the store at `url`, and the one to listen at if its pooler cannot carry LISTEN. */
export async function locatePostgres(platform: Platform, project: Project, config: Config, url: string): Promise<PostgresOptions> {
  const toOptions = async (address: string): Promise<PostgresOptions> => ({
    url: address,
    schema: `cleo_${config['project.key'] || 'default'}`,
    busyTimeoutMs: config['store.busyTimeoutMs'],
    beforeMigration: async ({ backupTo }) => {
      const options = { at: platform.now(), kind: 'automatic', keep: config['backup.keep'] } as const;
      await platform.backups.create(project, options, backupTo);
    },
    ...(await platform.describeAddress(address)),
  });
  const listenUrl = config['store.listenUrl'];
  const options = await toOptions(url);
  return listenUrl ? { ...options, listen: { ...(await toOptions(listenUrl)), source: 'store.listenUrl' } } : options;
}
