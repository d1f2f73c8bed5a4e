import { canonicalId } from '#core/model/scalars.ts';
import { taskStanding } from '#core/rules/rank.ts';
import { type Found, search } from '#core/search.ts';
import type { Page, ReadStore, TaskFilter } from '#store/port.ts';
import type { TaskHit } from '../../model/task.ts';
import { hitOf } from '../../rules/view.ts';

/** One page of the tasks that match a text. A query that is an id finds that task first. */
export async function searchTasks(store: ReadStore, query: string, filter: TaskFilter, page: Page): Promise<Found<TaskHit>> {
  const found = await search<TaskHit, TaskHit>(
    {
      candidates: (wanted, how, limit) => store.search.candidates(wanted, how, filter, limit),
      count: (wanted, how, atMost) => store.search.countCandidates(wanted, how, filter, atMost),
      labels: store.search.labels,
      wordsLike: store.search.wordsLike,
      standing: taskStanding,
    },
    query,
    page,
    await taskNamed(store, query, filter),
  );
  return { ...found, hits: found.hits.map(hitOf) };
}

async function taskNamed(store: ReadStore, query: string, filter: TaskFilter): Promise<TaskHit | undefined> {
  const id = /^\s*(?:SG-|E-|T-)?T\d+\s*$/i.test(query) ? canonicalId(query) : undefined;
  if (!id) return undefined;
  const [first] = await store.tasks.byIdPrefix(id.slice(1), filter, { limit: 1, offset: 0 });
  return first?.id === id ? first : undefined;
}
