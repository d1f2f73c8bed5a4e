import type { GraphLayout } from './layout.ts';
import type { SceneTask } from './scene.ts';

/** Lists tasks as the graph is read: column by column, from top to bottom. */
export function listInOrder(layout: GraphLayout, tasks: Map<string, SceneTask>, included: ReadonlySet<string> | undefined): SceneTask[] {
  const last = layout.columns.length;
  return [...layout.nodes]
    .sort((a, b) => (a.column ?? last) - (b.column ?? last) || a.y - b.y || a.x - b.x)
    .flatMap(({ id }) => tasks.get(id) ?? [])
    .filter(({ id }) => !included || included.has(id));
}

/** Says in words what the graph shows about a task. */
export function describeTask({ id, title, status, wave }: SceneTask, edges: [string, string][]): string {
  const before = edges.filter(([task]) => task === id).map(([, other]) => other);
  const after = edges.filter(([, other]) => other === id).map(([task]) => task);
  return [
    `${id} ${title}, ${status}`,
    ...(wave === undefined ? [] : [`wave ${wave}`]),
    before.length > 0 ? `depends on ${before.join(', ')}` : 'depends on nothing',
    after.length > 0 ? `${after.join(', ')} ${after.length === 1 ? 'waits' : 'wait'} for it` : 'nothing waits for it',
  ].join(', ');
}
