import { description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { Root, rootNames } from '#tasks/operations/shared/root.ts';
import { agentPlan, maintainerPlan, type PlanFacts } from '../../rules/plan-document.ts';
import { progressOf } from '../../rules/progress.ts';
import type { Waves } from '../../rules/waves.ts';
import { countsOf, planOf } from '../shared/plan.ts';

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
  paramAliases: { ...rootNames, root: 'epic', taskId: 'epic' },
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
  const { found } = await planOf(store, root?.id);
  const ids = idsIn(found);
  const { done, total } = progressOf(await countsOf(store, root?.id));
  return {
    ...(root ? { root } : {}),
    progress: { done, total },
    waves: found,
    tasks: new Map((await store.tasks.many(ids)).map((task) => [task.id, task])),
    // Without a root there may be thousands of them.
    done: root ? await store.tasks.doneInside(root.id, mostDone) : [],
    relations: await store.tasks.relationsTouching(ids),
  };
}

const mostDone = 200;

const idsIn = ({ waves: found, blocked, externalBlockers }: Waves): string[] => [
  ...new Set([...found.flat(), ...blocked.map(({ id }) => id), ...externalBlockers.map(({ id }) => id)]),
];
