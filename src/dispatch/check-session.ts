import '#sessions/errors.ts';
import { CleoError } from '#core/errors/error.ts';
import { type CallContext, getNamespace } from './call-context.ts';

/** Rejects a write in a session that is not active, and a write without a session if the project requires one. */
export function checkSession({ session, activeSessions, call, operation, app }: CallContext): void {
  if (session || exemptNamespaces.includes(getNamespace(operation.name)) || operation.startsSession) return;
  if (call.session) throw new CleoError('E_SESSION_REQUIRED', { inactiveSession: call.session });
  const { platform } = app;
  if (platform.config.load(platform.getProject())['session.required'])
    throw new CleoError('E_SESSION_REQUIRED', activeSessions ? { activeSessions } : {});
}

/** Namespaces that work without a session: sessions themselves and the maintenance of the project. */
const exemptNamespaces = ['session', 'admin', 'system'];
