import type { MutationContext } from '#core/define.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { defined } from '#lib/defined.ts';
import type { SessionRecord } from '../../model/session.ts';
import { checkExclusive, checkScopeFree } from './sessions.ts';

export interface SessionOptions {
  name?: string | undefined;
  phase?: string | undefined;
  grade?: boolean | undefined;
}

/** Creates a session and attaches the caller. Throws if the agent may have only one session (67) or the scope is taken (30, 32). */
export async function startSession(ctx: MutationContext, scope: Scope, { name, phase, grade }: SessionOptions): Promise<SessionRecord> {
  const { store, now, caller, platform } = ctx;
  await checkExclusive(ctx);
  await checkScopeFree(store, scope);
  const session: SessionRecord = {
    id: `session-${Date.parse(now)}-${platform.randomHex(6)}`,
    ...defined({ name, phase }),
    scope,
    status: 'active',
    isGraded: grade ?? false,
    startedBy: caller.agent,
    startedAt: now,
    updatedAt: now,
  };
  await store.sessions.insert(session);
  await store.sessions.attach(session.id, caller.agent, now);
  return session;
}

export const formatExports = ({ id, isGraded }: SessionRecord): string =>
  [`export CLEO_SESSION_ID=${id}`, ...(isGraded ? ['export CLEO_SESSION_GRADE=true', `export CLEO_SESSION_GRADE_ID=${id}`] : [])].join(
    '\n',
  );
