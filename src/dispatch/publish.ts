import { type App, type Call, requireProject } from './call-context.ts';
import type { Reply } from './dispatch.ts';

/** Writes the plan files after a call, if `sync.mode` is auto. The call itself has succeeded, so a failure is a warning. */
export async function publishResult(
  app: App,
  { gateway, agent, session, token }: Call,
  { operation, envelope }: Reply,
  dispatch: (app: App, call: Call) => Promise<Reply>,
): Promise<void> {
  // The server publishes what it stores.
  if (app.usesServer() || app.platform.config.load(requireProject(app.platform))['sync.mode'] !== 'auto') return;
  const { error } = await dispatch(app, {
    operation: operation?.publishesBy ?? '',
    gateway,
    params: {},
    ...(agent ? { agent } : {}),
    ...(session ? { session } : {}),
    ...(token ? { token } : {}),
  });
  if (!error) return;
  const warning = `the plan files were not written: ${error.message}; fix: ${error.fix}`;
  envelope._meta.warnings = [...(envelope._meta.warnings ?? []), warning];
}
