import { array, object, optional, strictObject, string, union } from 'valibot';
import { answer, query } from '#core/define.ts';
import { TaskReceipt } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { requireSession } from '../shared/sessions.ts';

export const sessionStatus = query({
  name: 'session.status',
  summary: 'Show the session you are in, and your focus',
  params: strictObject({}),
  result: strictObject({
    session: union([SessionSummary, object({})]),
    focus: optional(TaskReceipt),
    agents: optional(array(string())),
    alternatives: optional(array(strictObject({ action: string(), command: string() }))),
  }),
  errors: [],
  tier: 0,
  cli: { command: ['session status', 'session'] },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run(ctx) {
    const { store, session, activeSessions, caller } = ctx;
    if (!session)
      return answer(
        { session: {}, alternatives: await (await import('../shared/ways-in.ts')).waysIn(ctx) },
        {
          exit: 100,
          ...(activeSessions ? { warnings: [`several sessions are active, none of them yours alone: ${activeSessions.join(', ')}`] } : {}),
        },
      );
    const focus = await store.claims.heldBy(caller);
    const agents = await store.sessions.agents(session.id);
    return {
      session: summaryOf(await requireSession(store, session.id)),
      ...(focus ? { focus: receiptOf(await requireTask(store, focus.taskId), ['startedAt']) } : {}),
      ...(agents.length > 1 ? { agents } : {}),
    };
  },
});
