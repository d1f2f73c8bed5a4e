import type { MutationContext } from '#core/define.ts';
import type { Scope } from '#core/model/session-handle.ts';
import type { SessionRecord } from '../../model/session.ts';
import { checkAlone, checkFree } from './sessions.ts';

export interface Beginning {
  name?: string | undefined;
  phase?: string | undefined;
  grade?: boolean | undefined;
}

/** A new session with its caller in it, unless the agent is in another and may not (67) or the scope is taken (30, 32). */
export async function beginSession(ctx: MutationContext, scope: Scope, { name, phase, grade }: Beginning): Promise<SessionRecord> {
  const { store, now, caller, platform } = ctx;
  await checkAlone(ctx);
  await checkFree(store, scope);
  const session: SessionRecord = {
    id: `session-${Date.parse(now)}-${platform.randomHex(6)}`,
    ...(name ? { name } : {}),
    scope,
    status: 'active',
    ...(phase ? { phase } : {}),
    isGraded: grade ?? false,
    startedBy: caller.agent,
    startedAt: now,
    updatedAt: now,
  };
  await store.sessions.insert(session);
  await store.sessions.attach(session.id, caller.agent, now);
  return session;
}

export const exportLines = ({ id, isGraded }: SessionRecord): string =>
  [`export CLEO_SESSION_ID=${id}`, ...(isGraded ? ['export CLEO_SESSION_GRADE=true', `export CLEO_SESSION_GRADE_ID=${id}`] : [])].join(
    '\n',
  );
