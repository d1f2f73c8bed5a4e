import { array, description, metadata, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { SearchText } from '#core/model/search-texts.ts';
import { type SessionStatus, SessionStatusSchema } from '#core/model/session-handle.ts';
import { answerPage, pageParams } from '#core/page.ts';
import type { ReadStore } from '#store/port/store.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';

export const sessionList = query({
  name: 'session.list',
  summary: 'List sessions, active first',
  params: strictObject({
    status: optional(pipe(SessionStatusSchema, description('Only sessions with this status'))),
    term: optional(
      pipe(
        SearchText,
        description('Words in name, agent, scope or id; prefixes and typos match too'),
        // Signatures, which every agent reads, leave it out.
        metadata({ isRare: true }),
      ),
    ),
    ...pageParams(50),
  }),
  paramAliases: { query: 'term' },
  synonyms: ['ls'],
  result: strictObject({ sessions: array(SessionSummarySchema) }),
  errors: [],
  tier: 0,
  cli: { command: ['session list', 'sessions'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run({ store }, { status, term, ...page }) {
    const ids = term === undefined ? undefined : await findSessions(store, status, term);
    const records = ids
      ? await store.sessions.getSeveral(ids.slice(page.offset, page.offset + page.limit))
      : await store.sessions.list(status, page);
    const sessions = records.map(toSessionSummary);
    return answerPage({ sessions }, sessions.length, page, async () => ids?.length ?? store.sessions.count(status));
  },
});

async function findSessions(store: ReadStore, status: SessionStatus | undefined, term: string): Promise<string[]> {
  const { matchNames } = await import('#core/rules/match-names.ts');
  const names = await store.sessions.listNames(status);
  return matchNames(names, term, ({ id, name = '', agent, scope }) => `${name} ${agent} ${formatScope(scope)} ${id}`).map(({ id }) => id);
}
