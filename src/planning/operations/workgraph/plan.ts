import { description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { formatAgentPlan, formatMaintainerPlan, type PlanFacts } from '../../rules/plan-document.ts';
import { computeProgress } from '../../rules/progress.ts';
import type { Waves } from '../../rules/waves.ts';
import { computePlan, countTasks } from '../shared/plan.ts';

export const workgraphPlan = query({
  name: 'workgraph.plan',
  summary: 'Print a plan in Markdown for agents or people',
  params: strictObject({
    epic: Root,
    mode: optional(
      pipe(picklist(['agent', 'maintainer']), description('agent: compact; maintainer: full sentences with descriptions')),
      'agent',
    ),
  }),
  paramAliases: { ...rootAliases, root: 'epic', taskId: 'epic' },
  result: strictObject({ plan: string(), mode: string(), root: optional(string()) }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'workgraph plan', args: ['epic'], raw: 'plan' },
  example: { world: ['T001 epic: Parser', 'T002 in T001: Read', 'T003 in T001 depends T002: Write'], call: { epic: 'T001' } },
  async run({ store, session }, { epic, mode }) {
    const id = epic ?? session?.scope.root;
    const root = id === undefined ? undefined : await store.tasks.get(id);
    if (id !== undefined && !root) throw await createNotFoundError(store, id);
    const facts = await readPlanFacts(store, root);
    const plan = mode === 'agent' ? formatAgentPlan(facts) : formatMaintainerPlan(facts);
    const result = { plan, mode, ...defined({ root: root?.id }) };
    return facts.progress.total === 0 ? noData(result) : result;
  },
});

async function readPlanFacts(store: ReadStore, root: TaskRecord | undefined): Promise<PlanFacts> {
  const { schedule } = await computePlan(store, root?.id);
  const ids = listIds(schedule);
  const { done, total } = computeProgress(await countTasks(store, root?.id));
  return {
    ...defined({ root }),
    progress: { done, total },
    waves: schedule,
    tasks: new Map((await store.tasks.getMany(ids)).map((task) => [task.id, task])),
    // Without a root there may be thousands of done tasks.
    done: root ? await store.tasks.listDoneInSubtree(root.id, maxDone) : [],
    relations: await store.tasks.listRelationsTouching(ids),
  };
}

const maxDone = 200;

const listIds = ({ waves, blocked, externalBlockers }: Waves): string[] => [
  ...new Set([...waves.flat(), ...blocked.map(({ id }) => id), ...externalBlockers.map(({ id }) => id)]),
];
