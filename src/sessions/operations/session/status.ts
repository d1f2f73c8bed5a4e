import { array, object, optional, record, strictObject, string, union, unknown } from 'valibot';
import { answer, query } from '#core/define.ts';
import { TaskReceiptSchema } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { requireSession } from '../shared/sessions.ts';

export const sessionStatus = query({
  name: 'session.status',
  summary: 'Show your session and your focus',
  params: strictObject({}),
  synonyms: ['current'],
  result: strictObject({
    session: union([SessionSummarySchema, object({})]),
    focus: optional(TaskReceiptSchema),
    agents: optional(array(string())),
    alternatives: optional(array(strictObject({ action: string(), command: string(), call: optional(record(string(), unknown())) }))),
  }),
  errors: [],
  tier: 0,
  cli: { command: ['session status', 'session'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by tester: Parser'], call: {} },
  async run(ctx) {
    const { store, session, activeSessions, isAmbiguous, caller } = ctx;
    if (!session)
      return answer(
        { session: {}, alternatives: await (await import('../shared/session-suggestions.ts')).suggestSessions(ctx) },
        {
          exit: 100,
          warnings: activeSessions
            ? [`${isAmbiguous ? 'you are in several sessions; name one' : 'you are in no session; active'}: ${activeSessions.join(', ')}`]
            : [],
        },
      );
    const focus = await store.claims.getHeldBy(caller);
    const agents = await store.sessions.listAgents(session.id);
    return {
      session: toSessionSummary(await requireSession(store, session.id)),
      ...(focus ? { focus: toTaskReceipt(await requireTask(store, focus.taskId), ['startedAt']) } : {}),
      ...(agents.length > 1 ? { agents } : {}),
    };
  },
});
