import { listOperationNames } from '#grade/operations/shared/grade-session.ts';
import { createNudge } from '#grade/rules/nudge.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { CallContext } from './call-context.ts';

/** The number of earlier entries that are considered. */
const maxEntries = 30;

/** Finds the points that the last logged call has lost for the session, if any. */
export async function findNudge({ app }: CallContext, reads: ReadStore, session: string): Promise<string | undefined> {
  const newest = await reads.audit.list({ session }, { limit: maxEntries + 1, offset: 0 });
  const [call, ...before] = newest.map((entry) => ({ ...entry, operation: `${entry.domain}.${entry.operation}` }));
  return call && createNudge(before.reverse(), call, { names: listOperationNames(app.registry), isWhole: before.length < maxEntries });
}
