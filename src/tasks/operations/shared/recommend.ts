import { array, type InferOutput, number, strictObject, string } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { recommend } from '../../rules/next.ts';
import { checkRoot } from './root.ts';

export const Recommendation = strictObject({
  taskId: string(),
  title: string(),
  score: number(),
  reasons: array(strictObject({ term: string(), points: number() })),
});
export type Recommendation = InferOutput<typeof Recommendation>;

type Here = Pick<QueryContext, 'store' | 'now' | 'config' | 'session'>;

/** What to do next inside a root, or in the scope of the session: at most `count`, best first. */
export async function recommended(
  { store, now, config, session }: Here,
  root: TaskId | undefined,
  count: number,
): Promise<Recommendation[]> {
  await checkRoot(store, root);
  const found = recommend(
    await store.tasks.openGraph(),
    {
      now: await store.claims.moment(now),
      ttlMinutes: config['claims.ttlMinutes'],
      within: root ?? session?.scope.root,
      phase: session?.phase,
    },
    count,
  );
  const titles = new Map((await store.tasks.hits(found.map(({ taskId }) => taskId))).map((hit) => [hit.id, hit.title]));
  return found.map(({ taskId, score, reasons }) => ({ taskId, title: titles.get(taskId) ?? '', score, reasons }));
}
