import { defined } from '#lib/collections.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import type { SessionRecord, SessionSummary } from '../model/session.ts';

export const toSessionSummary = ({
  id,
  name,
  scope,
  status,
  startedBy,
  startedAt,
  endedAt,
  isGraded,
  phase,
}: SessionRecord): SessionSummary =>
  defined({
    id,
    name,
    scope: formatScope(scope),
    status,
    agent: startedBy,
    startedAt,
    endedAt,
    graded: isGraded || undefined,
    phase,
  });
