import type { Json } from '../app.ts';

export type PeerName = 'taskwarrior' | 'backlog' | 'taskmaster';

/** What the tests change in each tool: they finish one task and add another one. */
export const changes = { finished: 'T004', added: 'Added in the other tool' };

/** The tasks after the import, where they differ from `project.jsonl`. */
export const expectedAfter = (name: PeerName): Record<string, Json> => ({
  [changes.finished]: { title: '- leading dash', status: 'done', resolution: 'done', parentId: 'T003' },
  // Task Master starts a task when one of its subtasks is done.
  ...(name === 'taskmaster' ? { T003: { status: 'active' } } : {}),
  T011: { title: changes.added, status: 'pending', ...(name === 'taskwarrior' ? { parentId: 'T001' } : {}) },
});

/** The counts of the import of all changes. */
export const expectedCounts = (name: PeerName): Json => {
  const updated = Object.keys(expectedAfter(name)).length - 1;
  return { imported: 1, updated, unchanged: 10 - updated };
};

/** The files that a tool read, and what it wrote after the changes. */
export interface Recording {
  exported: { name: string; text: string }[];
  changed: { name: string; text: string }[];
}
