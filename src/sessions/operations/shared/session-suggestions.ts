import type { QueryContext } from '#core/define.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { findScope, formatScope } from '#tasks/rules/scope.ts';

/** Suggests commands for a caller without a session: resume an open one, else start one around the next task. */
export async function suggestSessions(ctx: QueryContext): Promise<{ action: string; command: string }[]> {
  const { store } = ctx;
  const open = (await store.sessions.list(undefined, { limit: 3, offset: 0 })).filter(({ status }) => status !== 'ended');
  const [first] = open.length > 0 ? [] : await recommendTasks(ctx, undefined, 1);
  const { scope } = findScope(first ? await store.tasks.getAncestry(first.taskId) : []);
  return [
    { action: 'List sessions', command: 'cleo session list' },
    ...open.map(({ id, status }) => ({
      action: `${status === 'active' ? 'Join' : 'Resume'} ${id}`,
      command: ctx.commandAs(['session', 'resume', id]),
    })),
    ...(open.length > 0
      ? []
      : [
          {
            action: `Start one on ${formatScope(scope)}`,
            command: ctx.commandAs(['session', 'start', '--scope', formatScope(scope), '--auto-focus', '--name', 'Work']),
          },
        ]),
  ];
}
