import type { TaskRecord } from '../../model/task.ts';
import { citedIn } from '../../rules/memory-cites.ts';
import type { WriteStore } from '../../store/port.ts';

/** Tasks are written without a thought of memory, so they are looked through when it matters. */
export async function citeTasks(store: WriteStore, id: string): Promise<void> {
  const ids = await store.memory.tasksSaying(id);
  const notes = await store.tasks.notes(ids);
  for (const task of await store.tasks.many(ids)) {
    const cited = citedIn(
      textOf(
        task,
        (notes.get(task.id) ?? []).map(({ text }) => text),
      ),
    );
    if (cited.includes(id)) await store.memory.cite('task', task.id, cited);
  }
}

const textOf = ({ title, description, acceptance }: TaskRecord, notes: string[]): string =>
  [title, description ?? '', ...acceptance.map(({ text }) => text ?? ''), ...notes].join('\n');
