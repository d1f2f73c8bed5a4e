import { scopeText } from '#tasks/rules/scope.ts';
import type { SessionRecord, SessionSummary } from '../model/session.ts';

export const summaryOf = (session: SessionRecord): SessionSummary => ({
  id: session.id,
  ...(session.name ? { name: session.name } : {}),
  scope: scopeText(session.scope),
  status: session.status,
  agent: session.startedBy,
  startedAt: session.startedAt,
  ...(session.endedAt ? { endedAt: session.endedAt } : {}),
  ...(session.isGraded ? { graded: true } : {}),
  ...(session.phase ? { phase: session.phase } : {}),
});
