import { formatCommand } from '#core/command-line.ts';
import type { QueryContext, Registry } from '#core/define.ts';
import type { SessionHandle } from '#core/model/session-handle.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { GradeResult } from '../../model/grade.ts';
import {
  addLogEntry,
  finishGrading,
  type GradeState,
  getGradePercent,
  type OperationNames,
  startGrading,
  toLetter,
} from '../../rules/grade.ts';
import type { PointLoss } from '../../rules/grade-rubric.ts';

/** Grades a session, by its entries up to `upTo`. `isRecorded` is false if the session was started without grade mode and no read of it is in the log. */
export async function gradeSession(
  ctx: Pick<QueryContext, 'store' | 'registry' | 'now'>,
  sessionId: string,
  upTo = Number.POSITIVE_INFINITY,
): Promise<{ result: GradeResult; losses: PointLoss[]; isRecorded: boolean }> {
  const { store, registry, now } = ctx;
  const state = startGrading(listOperationNames(registry));
  await readLog(store, sessionId, state, upTo);
  const session = await store.sessions.get(sessionId);
  const taskId = session && (await findSessionTask(store, session));
  return {
    ...finishGrading(state, { sessionId, ...defined({ taskId }), timestamp: now }),
    isRecorded: session === undefined || session.isGraded || state.hasReads,
  };
}

export function toGrade(result: GradeResult) {
  const percent = getGradePercent(result);
  return { ...result, percent, letter: toLetter(percent) };
}

const pageSize = 2000;

async function readLog(store: ReadStore, sessionId: string, state: GradeState, upTo: number): Promise<void> {
  for (let seq = 0; ; ) {
    const entries = await store.audit.listForSession(sessionId, seq, pageSize);
    for (const entry of entries) if (entry.seq <= upTo) addLogEntry(state, entry);
    if (entries.length < pageSize) return;
    seq = entries.at(-1)!.seq;
  }
}

/** Finds the task a session is about: the root of its scope, else the first task claimed in it. */
async function findSessionTask(store: ReadStore, { id, scope }: SessionHandle): Promise<string | undefined> {
  return scope.root ?? (await store.claims.listForSession(id))[0]?.taskId;
}

/** The log stores the name that was called, which may be an alias; the rubric needs the operation. */
export const listOperationNames = ({ entries }: Registry): OperationNames =>
  new Map(entries.flatMap(({ name, aliases, kind }) => [name, ...aliases].map((called) => [called, { name, isRead: kind === 'query' }])));

/** Adds to each loss the call that would have avoided it, for MCP and for the command line. */
export async function explainLosses(registry: Registry, losses: PointLoss[]) {
  return Promise.all(
    losses.map(async ({ rule: _, remedy, ...loss }) => {
      const [domain = '', ...rest] = remedy.operation.split('.');
      const entry = registry.find(remedy.operation);
      const command = entry && !remedy.onlyMcp ? formatCommand(await entry.load(), remedy.params) : undefined;
      const gateway = entry && entry.kind !== 'query' ? ('cleo_mutate' as const) : ('cleo_query' as const);
      return {
        ...loss,
        call: { gateway, domain, operation: rest.join('.'), params: remedy.params },
        ...defined({ command }),
      };
    }),
  );
}
