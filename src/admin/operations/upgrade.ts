import { join } from 'node:path';
import { number, optional, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { formatProjectSchema } from '#core/model/config-schema.ts';
import { defined } from '#lib/collections.ts';
import type { Platform, Project } from '#platform/port.ts';
import { recordFactsQuietly } from './shared/local-facts.ts';
import { updateProtocolTemplate } from './shared/protocol-template.ts';

export const adminUpgrade = job({
  name: 'admin.upgrade',
  summary: 'Back up the store and upgrade its schema',
  params: strictObject({}),
  result: strictObject({ upgrade: strictObject({ from: number(), to: number(), backup: optional(string()) }) }),
  errors: ['E_STORE_NEWER', 'E_STORE_DAMAGED', 'E_FILE_ERROR', 'E_CHECKSUM_MISMATCH', 'E_STORE_UNREACHABLE'],
  tier: 1,
  runsOn: 'server',
  acceptsEarlierStore: true,
  needs: 'project',
  scope: { scope: 'admin', when: 'for a store on a database server', isNeeded: () => false },
  cli: { command: 'upgrade' },
  example: { call: {}, exit: 102 },
  async run(ctx) {
    const { platform, project, openStore, registry } = ctx;
    // Every other clone and server uses a shared store, and older versions of cleo cannot read it any more.
    if (platform.databaseUrl ?? ctx.config()['store.url']) ctx.requireScope('admin', { subject: 'upgrade' });
    const before = new Set(platform.backups.list(project).map(({ id }) => id));
    const store = await openStore('write');
    const { from, to } = await store.migrate();
    if (from !== to) await store.read((reads) => recordFactsQuietly(platform, project, reads));
    const backup = platform.backups.list(project).find(({ id }) => !before.has(id))?.id;
    const isRefreshed = refreshSchema(platform, project);
    const upgrade = { from, to, ...defined({ backup }) };
    const warnings = await updateProtocolTemplate(platform, registry);
    return answer({ upgrade }, { warnings, ...(from === to && !isRefreshed ? { exit: 102 as const } : {}) });
  },
});

/** Updates the JSON Schema of the configuration, a copy for editors that can become outdated. */
function refreshSchema({ files }: Platform, project: Project): boolean {
  const path = join(project.folder, 'config.schema.json');
  const known = files.readText(path);
  if (known === undefined || known === formatProjectSchema()) return false;
  files.writeAtomic(path, formatProjectSchema());
  return true;
}
