import { namesIn } from '#grade/operations/shared/graded.ts';
import { nudgeFor } from '#grade/rules/nudge.ts';
import type { ReadStore } from '#store/port.ts';
import type { CallContext } from './call-context.ts';

/** Of a longer session, this many entries before the call are looked at. */
const remembered = 30;

/** What the call that was just logged for the session has cost it, if anything. */
export async function nudgeAfter({ app }: CallContext, reads: ReadStore, session: string): Promise<string | undefined> {
  const newest = await reads.audit.newest({ session }, { limit: remembered + 1, offset: 0 });
  const [call, ...before] = newest.map((entry) => ({ ...entry, operation: `${entry.domain}.${entry.operation}` }));
  return call && nudgeFor(before.reverse(), call, { names: namesIn(app.registry), isWhole: before.length < remembered });
}
