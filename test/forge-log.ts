import { hashLink } from '../src/admin/rules/audit-chain.ts';
import type { ChainLink } from '../src/core/model/audit.ts';
import type { Store } from '../src/store/port/store.ts';
import type { TestApp } from './app.ts';

const quote = (value: string | null): string => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`);

/** Changes entries of the log and rebuilds the chain after them, as someone who can write the database does. `change` gets the
 *  hashed columns of an entry: previous hash, number, time, session, agent, gateway, domain, operation, parameters … */
export const forgeLog = async (app: TestApp, change: ColumnsChange): Promise<void> => app.tamper(await createForgery(app.store, change));

type ColumnsChange = (columns: ChainLink['columns']) => ChainLink['columns'];

/** Entries of versions before 6 have neither principal nor project nor a place in history. */
export const toOldForm: ColumnsChange = (columns) => columns.slice(0, 16);

/** Creates the statements that change the log. */
export async function createForgery(store: Pick<Store, 'read'>, change: ColumnsChange): Promise<string> {
  const links = await store.read((reads) => reads.audit.listLinks(0, 10_000));
  let prevHash = '0'.repeat(64);
  const statements = links.map(({ seq, columns }) => {
    const forged = change(columns).with(0, prevHash);
    prevHash = hashLink(forged);
    const [, , at, session, agent, gateway, domain, operation, params, success, exitCode, errorCode, created, updated, deleted] = forged;
    const [principal, project, historySeq] = forged.slice(16);
    return `update audit_log set timestamp = ${quote(at!)}, session_id = ${quote(session!)}, agent_id = ${quote(agent!)},
      gateway = ${quote(gateway!)}, domain = ${quote(domain!)}, operation = ${quote(operation!)}, params = ${quote(params!)},
      success = ${success}, exit_code = ${exitCode}, error_code = ${quote(errorCode ?? null)}, created_ids = ${quote(created!)},
      updated_ids = ${quote(updated!)}, deleted_ids = ${quote(deleted!)}, principal = ${quote(principal ?? null)}, project = ${quote(project ?? null)},
      history_seq = ${historySeq ?? 'null'},
      prev_hash = ${quote(forged[0]!)}, hash = '${prevHash}' where seq = ${seq}`;
  });
  return [...statements, `update audit_head set hash = '${prevHash}'`].join(';\n');
}
