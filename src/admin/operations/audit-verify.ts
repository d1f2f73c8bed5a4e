import { literal, number, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type ChainState, chainEnd, chainStart, chainStep } from '../rules/chain.ts';

export const adminAuditVerify = query({
  name: 'admin.audit.verify',
  summary: 'Check that nobody changed the log of what was done',
  params: strictObject({}),
  result: strictObject({ chain: strictObject({ ok: literal(true), entries: number(), head: string() }) }),
  errors: ['E_CHECKSUM_MISMATCH'],
  tier: 1,
  cli: { command: 'audit verify' },
  example: { call: {} },
  async run({ store, platform }) {
    return { chain: await chainOf(store, platform.sha256) };
  },
});

/** The chain as far as its head, or the refusal that names its first broken link. */
export async function chainOf(store: ReadStore, digest: (text: string) => string): Promise<{ ok: true; entries: number; head: string }> {
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

const perBatch = 2000;

/** From the first entry to the head, as far as it holds. */
export async function followChain(store: ReadStore, digest: (text: string) => string): Promise<ChainState> {
  let state = chainStart;
  for (;;) {
    const links = await store.audit.listLinks(state.seq, perBatch);
    for (const link of links) state = chainStep(state, link, digest);
    if (state.broken || links.length < perBatch) return chainEnd(state, await store.audit.getHead());
  }
}
