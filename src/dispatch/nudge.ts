import { listOperationNames } from '#grade/operations/shared/grade-session.ts';
import { createNudge } from '#grade/rules/nudge.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { CallContext } from './call-context.ts';

/** Of a longer session, this many entries before the call are looked at. */
const maxEntries = 30;

/** What the call that was just logged for the session has cost it, if anything. */
export async function findNudge({ app }: CallContext, reads: ReadStore, session: string): Promise<string | undefined> {
  const newest = await reads.audit.list({ session }, { limit: maxEntries + 1, offset: 0 });
  const [call, ...before] = newest.map((entry) => ({ ...entry, operation: `${entry.domain}.${entry.operation}` }));
  return call && createNudge(before.reverse(), call, { names: listOperationNames(app.registry), isWhole: before.length < maxEntries });
}
