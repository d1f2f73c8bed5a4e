import { array, description, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { Card, Column } from '../model/board.ts';
import { boardColumns } from '../rules/board.ts';
import { claimView, isExpired } from '../rules/claims.ts';
import { notFound } from './shared/require.ts';
import { Root, rootNames } from './shared/root.ts';

export const tasksBoard = query({
  name: 'tasks.board',
  summary: 'Show the tasks by state, each with its epic and who holds it',
  params: strictObject({
    epic: Root,
    match: optional(
      pipe(string(), maxLength(200, 'must be at most 200 characters'), description('Only cards with these words in their id or title')),
    ),
    limit: limitParam(20, 'How many cards of each column at most'),
  }),
  paramAliases: rootNames,
  result: strictObject({ columns: array(Column), root: optional(strictObject({ id: Card.entries.id, title: Card.entries.title })) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'board', args: ['epic'] },
  example: {
    world: [
      'T001 epic',
      'T002 in T001 active by ada@session-1',
      'T003 in T001 high',
      'T004 in T001 done',
      'session session-1 epic:T001 by ada',
    ],
    call: { epic: 'T001' },
  },
  async run({ store, now, config }, { epic, match, limit }) {
    const root = epic ? await store.tasks.hit(epic) : undefined;
    if (epic && !root) throw await notFound(store, epic);
    const above = root ? await store.tasks.ancestry(root.id) : [];
    const columns = boardColumns(await store.tasks.onBoard(root?.id), { above, match, limit });
    const ttlMinutes = config['claims.ttlMinutes'];
    const moment = await store.claims.moment(now);
    const claims = new Map((await store.claims.all()).map((claim) => [claim.taskId, claim]));
    const isStuck = columns.some(({ status, tasks }) => status === 'blocked' && tasks.length > 0);
    const reasons = new Map(isStuck ? (await store.tasks.blocked()).map(({ id, blockedBy }) => [id, blockedBy]) : []);
    const cardOf = ({ id, title, status, type, priority, epicId, completedAt }: (typeof columns)[number]['tasks'][number]): Card => {
      // Only what is active is held.
      const claim = status === 'active' ? claims.get(id) : undefined;
      const blockedBy = status === 'blocked' ? reasons.get(id) : undefined;
      return {
        id,
        title,
        status,
        type,
        priority,
        ...(epicId ? { epicId } : {}),
        ...(claim
          ? { claim: { ...claimView(claim, ttlMinutes), ...(isExpired(claim, moment, ttlMinutes) ? { lapsed: true as const } : {}) } }
          : {}),
        ...(blockedBy ? { blockedBy } : {}),
        ...(status === 'done' && completedAt ? { completedAt } : {}),
      };
    };
    const total = columns.reduce((sum, { count }) => sum + count, 0);
    const shown = columns.reduce((sum, { tasks }) => sum + tasks.length, 0);
    return answer(
      {
        columns: columns.map(({ status, count, tasks }) => ({ status, count, cards: tasks.map(cardOf) })),
        ...(root ? { root: { id: root.id, title: root.title } } : {}),
      },
      { ...(total === 0 ? { exit: 100 as const } : {}), truncated: shown < total ? { shown, total } : undefined },
    );
  },
});
