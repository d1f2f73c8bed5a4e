import { description, optional, picklist, pipe, strictObject, string } from 'valibot';
import type { TaskRecord } from '../../model/task.ts';
import { agentPlan, maintainerPlan, type PlanFacts } from '../../rules/plan-document.ts';
import { type Waves, waves } from '../../rules/waves.ts';
import type { ReadStore } from '../../store/port.ts';
import { noData, query } from '../define.ts';
import { notFound } from '../tasks/require.ts';
import { Root, rootNames } from '../tasks/root.ts';

export const workgraphPlan = query({
  name: 'workgraph.plan',
  summary: 'Write a plan in Markdown: the work in waves, for an agent or for people',
  params: strictObject({
    epic: Root,
    mode: optional(
      pipe(picklist(['agent', 'maintainer']), description('agent: compact; maintainer: in sentences, with descriptions')),
      'agent',
    ),
  }),
  also: { ...rootNames, root: 'epic', taskId: 'epic' },
  result: strictObject({ plan: string(), mode: string(), root: optional(string()) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'workgraph plan', args: ['epic'], raw: 'plan' },
  example: { world: ['T001 epic: Parser', 'T002 in T001: Read', 'T003 in T001 depends T002: Write'], call: { epic: 'T001' } },
  async run({ store, session }, { epic, mode }) {
    const id = epic ?? session?.scope.root;
    const root = id === undefined ? undefined : await store.tasks.get(id);
    if (id !== undefined && !root) throw await notFound(store, id);
    const facts = await factsOf(store, root);
    const plan = mode === 'agent' ? agentPlan(facts) : maintainerPlan(facts);
    const result = { plan, mode, ...(root ? { root: root.id } : {}) };
    return facts.progress.total === 0 ? noData(result) : result;
  },
});

async function factsOf(store: ReadStore, root: TaskRecord | undefined): Promise<PlanFacts> {
  const open = await store.tasks.openInside(root?.id);
  const depends = (await store.tasks.waitsInside(root?.id)).map(({ from, to }) => ({ taskId: from, dependsOn: to }));
  const planned = waves({ tasks: open, above: open.filter(({ isAbove }) => isAbove).map(({ id }) => id), depends });
  const ids = idsIn(planned);
  const below = root ? await store.tasks.descendants(root.id) : await store.tasks.kin();
  const work = below.filter(({ type }) => type === 'task' || type === 'subtask');
  const done = work.filter(({ status }) => status === 'done');
  // Without a root there may be thousands of them.
  const listed = root ? await store.tasks.hits(done.map(({ id }) => id)) : [];
  return {
    ...(root ? { root } : {}),
    progress: { done: done.length, total: work.length },
    waves: planned,
    tasks: new Map((await store.tasks.many(ids)).map((task) => [task.id, task])),
    done: listed.map(({ id, title }) => ({ id, title })),
    relations: await store.tasks.relationsTouching(ids),
  };
}

const idsIn = ({ waves: found, blocked, externalBlockers }: Waves): string[] => [
  ...new Set([...found.flat(), ...blocked.map(({ id }) => id), ...externalBlockers.map(({ id }) => id)]),
];
