import { inject } from 'vitest';

/** Behind a pooler, which does not pass on notifications, a project names the server itself. */
export const getListenConfig = (): Record<string, unknown> =>
  inject('serverUrl') === inject('databaseUrl') ? {} : { store: { listenUrl: inject('serverUrl') } };
