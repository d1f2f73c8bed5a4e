import type { ConditionalScope, JobContext } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { getConfigScope } from '#core/rules/config-scope.ts';
import { isHostAllowed } from '#core/rules/token-scope.ts';

/** The scope of `config set` and `config unset`. */
export const configScope: ConditionalScope = {
  scope: 'admin',
  when: 'for every key but lifecycleEnforcement.mode, hierarchy.*, context.* and docs.types',
  isNeeded: ({ key }) => getConfigScope(String(key)) === 'admin',
};

/** Requires the scope of a key. The first tools of a project may be set by an agent if they are what `init --detect` finds. */
export async function requireConfigScope(
  ctx: JobContext,
  key: string,
  { isUser, value }: { isUser?: boolean | undefined; value?: unknown },
): Promise<void> {
  // The user's own file is outside the project.
  if (isUser && ctx.token && !isHostAllowed(ctx.token)) throw new CleoError('E_FORBIDDEN', { fix: askPerson(ctx.commandWith({})) });
  if (getConfigScope(key) === 'mutate') return;
  if (!isUser && value !== undefined && (await (await import('./first-tools.ts')).isFirstTool(ctx, key, value))) return;
  ctx.requireScope('admin', { subject: key, isOfUser: isUser });
}
