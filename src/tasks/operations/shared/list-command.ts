import type { ReadStore } from '#store/port/store.ts';

const commands = {
  epic: ['cleo list --type epic', 'cleo help add'],
  saga: ['cleo saga list', 'cleo help saga create'],
} as const;

/** Returns the command that lists the epics or sagas, or while there are none, the help of the one that creates them. */
export async function findListCommand(store: ReadStore, type: keyof typeof commands): Promise<string> {
  const [list, create] = commands[type];
  return (await store.tasks.count({ type: [type] }, 1)) > 0 ? list : create;
}
