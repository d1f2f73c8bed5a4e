import { array, description, metadata, omit, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import type { Claim } from '#core/model/audit.ts';
import { AgentId } from '#core/model/scalars.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { TaskClaimSchema } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { toAbsence } from '#tasks/rules/claims.ts';
import { type ContextUsage, HandoffSchema, SessionSummarySchema } from '../../model/session.ts';
import { getContextLimits, getContextState } from '../../rules/context-window.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { requireSession } from '../shared/sessions.ts';
import { ContextView } from '../system/context.ts';

export const SessionId = pipe(AgentId, description('The session, e.g. session-1763200000000-a1b2c3'), metadata({ value: 'SESSION' }));

export const sessionShow = query({
  name: 'session.show',
  summary: 'Show a session with its claims and handoff',
  params: strictObject({ sessionId: SessionId }),
  paramAliases: { id: 'sessionId' },
  synonyms: ['get', 'view'],
  result: strictObject({
    session: strictObject({
      ...SessionSummarySchema.entries,
      agents: array(string()),
      claims: optional(array(strictObject({ taskId: string(), agent: string(), since: string(), state: TaskClaimSchema.entries.state }))),
      /** How full the context windows of its agents are. */
      context: optional(array(strictObject({ agent: string(), ...omit(ContextView, ['budget']).entries }))),
      note: optional(string()),
      handoff: optional(HandoffSchema),
    }),
  }),
  errors: ['E_SESSION_NOT_FOUND'],
  tier: 1,
  cli: { command: 'session show', args: ['sessionId'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: { sessionId: 'session-1' } },
  async run(ctx, { sessionId }) {
    const { store, config, now } = ctx;
    const session = await requireSession(store, sessionId);
    const claims = await store.claims.listForSession(sessionId);
    const { judge } = await createClaimJudge(ctx, claims);
    const toClaimRow = (claim: Claim) => ({
      taskId: claim.taskId,
      agent: claim.agent,
      since: claim.claimedAt,
      ...toAbsence(judge(claim)),
    });
    const limits = getContextLimits(config);
    const toContextRow = ({ agent, ...usage }: ContextUsage & { agent: string }) => ({
      agent,
      ...defined(getContextState(usage, now, limits)),
      used: usage.used,
      max: usage.max,
      reportedAt: usage.at,
    });
    return {
      session: {
        ...toSessionSummary(session),
        agents: await store.sessions.listAgents(sessionId),
        ...(claims.length > 0 ? { claims: claims.map(toClaimRow) } : {}),
        ...omitEmpty({ context: (await store.sessions.listContextUsage(sessionId)).map(toContextRow) }),
        ...defined({ note: session.note, handoff: session.handoff }),
      },
    };
  },
});
