import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { SessionStatusSchema } from '#core/model/session-handle.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';

export const sessionList = query({
  name: 'session.list',
  summary: 'List sessions, active ones first',
  params: strictObject({ status: optional(pipe(SessionStatusSchema, description('Only sessions with this status'))), ...pageParams(50) }),
  synonyms: ['ls'],
  result: strictObject({ sessions: array(SessionSummarySchema) }),
  errors: [],
  tier: 0,
  cli: { command: ['session list', 'sessions'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run({ store }, { status, ...page }) {
    const sessions = (await store.sessions.list(status, page)).map(toSessionSummary);
    return answerPage({ sessions }, sessions.length, page, () => store.sessions.count(status));
  },
});
