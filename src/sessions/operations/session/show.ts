import { array, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { AgentId } from '#core/model/scalars.ts';
import { Handoff, SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { requireSession } from '../shared/sessions.ts';

export const SessionId = pipe(AgentId, description('The session, e.g. session-1763200000000-a1b2c3'), metadata({ value: 'SESSION' }));

export const sessionShow = query({
  name: 'session.show',
  summary: 'Show everything about a session, with its handoff',
  params: strictObject({ sessionId: SessionId }),
  paramAliases: { id: 'sessionId' },
  result: strictObject({
    session: strictObject({
      ...SessionSummary.entries,
      agents: array(string()),
      claims: optional(array(strictObject({ taskId: string(), agent: string(), since: string() }))),
      note: optional(string()),
      handoff: optional(Handoff),
    }),
  }),
  errors: ['E_SESSION_NOT_FOUND'],
  tier: 1,
  cli: { command: 'session show', args: ['sessionId'] },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: { sessionId: 'session-1' } },
  async run({ store }, { sessionId }) {
    const session = await requireSession(store, sessionId);
    const claims = await store.claims.inSession(sessionId);
    return {
      session: {
        ...summaryOf(session),
        agents: await store.sessions.agents(sessionId),
        ...(claims.length > 0 ? { claims: claims.map(({ taskId, agent, claimedAt }) => ({ taskId, agent, since: claimedAt })) } : {}),
        ...(session.note ? { note: session.note } : {}),
        ...(session.handoff ? { handoff: session.handoff } : {}),
      },
    };
  },
});
