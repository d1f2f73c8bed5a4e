import { array, boolean, description, maxLength, metadata, optional, pick, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { limitParam } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import { type Card, CardSchema, ColumnSchema } from '../model/board.ts';
import { buildBoardColumns } from '../rules/board.ts';
import { toTaskClaim } from '../rules/claims.ts';
import { createClaimJudge } from './shared/claim-judge.ts';
import { Root, rootAliases } from './shared/params.ts';
import { createNotFoundError } from './shared/require.ts';

export const tasksBoard = query({
  name: 'tasks.board',
  summary: 'Show tasks by status, with epic and holder',
  params: strictObject({
    epic: Root,
    match: optional(
      pipe(string(), maxLength(200, 'must be at most 200 characters'), description('Only tasks with these words in the id or title')),
    ),
    limit: limitParam(20, 'Maximum number of cards per column'),
    details: optional(pipe(boolean(), description('Also parent, labels, dependencies, assignee and due date'), metadata({ isRare: true }))),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    columns: array(ColumnSchema),
    root: optional(pick(CardSchema, ['id', 'title'])),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'board', args: ['epic'], view: async () => (await import('../view.ts')).taskView },
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
  async run(ctx, { epic, match, limit, details }) {
    const { store, config } = ctx;
    const root = epic ? await store.tasks.getHit(epic) : undefined;
    if (epic && !root) throw await createNotFoundError(store, epic);
    const ancestry = root ? await store.tasks.getAncestry(root.id) : [];
    const columns = buildBoardColumns(await store.tasks.listForBoard(root?.id), { ancestry, match, limit });
    const ttlMinutes = config['claims.ttlMinutes'];
    const held = await store.claims.list();
    const { judge, isLapsed } = await createClaimJudge(ctx, held);
    const claims = new Map(held.map((claim) => [claim.taskId, claim]));
    const hasBlocked = columns.some(({ status, tasks }) => status === 'blocked' && tasks.length > 0);
    const reasons = new Map(hasBlocked ? (await store.tasks.listBlocked()).map(({ id, blockedBy }) => [id, blockedBy]) : []);
    const more = details ? await store.tasks.getBoardDetails() : undefined;
    const toCard = ({
      id,
      title,
      status,
      type,
      priority,
      epicId,
      completedAt,
      parentId,
    }: (typeof columns)[number]['tasks'][number]): Card => {
      // Only active tasks have a claim.
      const claim = status === 'active' ? claims.get(id) : undefined;
      const blockedBy = status === 'blocked' ? reasons.get(id) : undefined;
      const lapsed = claim && isLapsed(claim) ? (true as const) : undefined;
      return defined({
        id,
        title,
        status,
        type,
        priority,
        epicId,
        claim: claim && defined({ ...toTaskClaim(claim, ttlMinutes, judge(claim)), lapsed }),
        blockedBy: blockedBy || undefined,
        completedAt: status === 'done' ? completedAt : undefined,
        ...(more ? { parentId, ...more.get(id) } : {}),
      });
    };
    const total = columns.reduce((sum, { count }) => sum + count, 0);
    const shown = columns.reduce((sum, { tasks }) => sum + tasks.length, 0);
    return answer(
      {
        columns: columns.map(({ status, count, tasks }) => ({ status, count, cards: tasks.map(toCard) })),
        ...(root ? { root: { id: root.id, title: root.title } } : {}),
      },
      { ...(total === 0 ? { exit: 100 as const } : {}), truncated: shown < total ? { shown, total } : undefined },
    );
  },
});
