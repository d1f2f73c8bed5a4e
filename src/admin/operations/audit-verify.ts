import { literal, number, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type ChainState, chainStart, endChain, stepChain } from '../rules/audit-chain.ts';

export const adminAuditVerify = query({
  name: 'admin.audit.verify',
  summary: 'Verify the hash chain of the audit log',
  params: strictObject({}),
  result: strictObject({ chain: strictObject({ ok: literal(true), entries: number(), head: string() }) }),
  errors: ['E_CHECKSUM_MISMATCH'],
  tier: 1,
  cli: { command: 'audit verify' },
  example: { call: {} },
  async run({ store, platform }) {
    return { chain: await verifyChain(store, platform.sha256) };
  },
});

/** Verifies the hash chain up to its head and throws an error that names the first broken link. */
export async function verifyChain(
  store: ReadStore,
  digest: (text: string) => string,
): Promise<{ ok: true; entries: number; head: string }> {
  const { seq, hash, broken } = await followChain(store, digest);
  if (broken)
    throw new CleoError('E_CHECKSUM_MISMATCH', {
      what: 'the audit log',
      problem: `entry ${broken.seq} ${broken.problem}`,
      fix: 'cleo log',
      seq: broken.seq,
    });
  return { ok: true, entries: seq, head: hash };
}

const batchSize = 2000;

/** Follows the chain from the first entry to the head, up to the first broken link. */
export async function followChain(store: ReadStore, digest: (text: string) => string): Promise<ChainState> {
  let state = chainStart;
  for (;;) {
    const links = await store.audit.listLinks(state.seq, batchSize);
    for (const link of links) state = stepChain(state, link, digest);
    if (state.broken || links.length < batchSize) return endChain(state, await store.audit.getHead());
  }
}
