import type { QueryContext } from '#core/define.ts';
import { recommended } from '#tasks/operations/shared/recommend.ts';
import { scopeFor, scopeText } from '#tasks/rules/scope.ts';

/** For a caller without a session: join one that is not over, else start one around what comes next. */
export async function waysIn(ctx: QueryContext): Promise<{ action: string; command: string }[]> {
  const { store } = ctx;
  const open = (await store.sessions.list(undefined, { limit: 3, offset: 0 })).filter(({ status }) => status !== 'ended');
  const [first] = open.length > 0 ? [] : await recommended(ctx, undefined, 1);
  const { scope } = scopeFor(first ? await store.tasks.ancestry(first.taskId) : []);
  return [
    { action: 'See the sessions', command: 'cleo session list' },
    ...open.map(({ id, status }) => ({
      action: `${status === 'active' ? 'Join' : 'Take up'} ${id}`,
      command: ctx.commandAs(['session', 'resume', id]),
    })),
    ...(open.length > 0
      ? []
      : [
          {
            action: `Start one on ${scopeText(scope)}`,
            command: ctx.commandAs(['session', 'start', '--scope', scopeText(scope), '--auto-focus', '--name', 'Work']),
          },
        ]),
  ];
}
