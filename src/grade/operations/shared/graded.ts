import { commandFor } from '#core/command-line.ts';
import type { QueryContext, Registry } from '#core/define.ts';
import type { ReadStore } from '#store/port.ts';
import type { GradeResult } from '../../model/grade.ts';
import { type GradeState, gradeEnd, gradeStart, gradeStep, letterOf, type Names, percentOf } from '../../rules/grade.ts';
import type { Loss } from '../../rules/grade-rubric.ts';

/** Below `.cleo`. */
export const gradesFile = 'metrics/GRADES.jsonl';

/** The grade of a session, from the log as it is. */
export async function gradeOf(ctx: QueryContext, sessionId: string): Promise<{ result: GradeResult; losses: Loss[] }> {
  const { store, registry, now } = ctx;
  const state = gradeStart(namesIn(registry));
  await follow(store, sessionId, state);
  const taskId = await taskOf(store, sessionId);
  return gradeEnd(state, { sessionId, ...(taskId ? { taskId } : {}), timestamp: now });
}

export const withLetter = (result: GradeResult) => ({ ...result, percent: percentOf(result), letter: letterOf(percentOf(result)) });

const perPage = 2000;

async function follow(store: ReadStore, sessionId: string, state: GradeState): Promise<void> {
  for (let seq = 0; ; ) {
    const entries = await store.audit.ofSession(sessionId, seq, perPage);
    for (const entry of entries) gradeStep(state, entry);
    if (entries.length < perPage) return;
    seq = entries.at(-1)!.seq;
  }
}

/** What it is about: the root of its scope, else what somebody in it has in focus. */
async function taskOf(store: ReadStore, sessionId: string): Promise<string | undefined> {
  const session = await store.sessions.get(sessionId);
  return session && (session.scope.root ?? (await store.claims.inSession(sessionId))[0]?.taskId);
}

/** The log keeps the name that was called; the rubric asks what it stands for. */
export const namesIn = ({ entries }: Registry): Names =>
  new Map(entries.flatMap(({ name, aliases, kind }) => [name, ...aliases].map((called) => [called, { name, isRead: kind === 'query' }])));

/** Each loss with the call that would have kept the points, for both doors. */
export async function explained(catalog: Registry, losses: Loss[]) {
  return Promise.all(
    losses.map(async ({ rule: _, remedy, ...loss }) => {
      const [domain = '', ...rest] = remedy.operation.split('.');
      const entry = catalog.find(remedy.operation);
      const command = entry && !remedy.onlyMcp ? commandFor(await entry.load(), remedy.params) : undefined;
      const gateway = entry && entry.kind !== 'query' ? ('cleo_mutate' as const) : ('cleo_query' as const);
      return {
        ...loss,
        call: { gateway, domain, operation: rest.join('.'), params: remedy.params },
        ...(command ? { command } : {}),
      };
    }),
  );
}
