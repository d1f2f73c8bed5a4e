import { strictObject } from 'valibot';
import type { Shortcut } from '#core/cli-definition.ts';
import { mutation } from '#core/define.ts';
import { TaskReceiptSchema } from '../model/task.ts';
import { taskInput } from '../model/task-fields.ts';
import { getChildTier } from '../rules/hierarchy.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { checkDependsExist, checkPosition, createNotes, createTask, requireAncestry } from './shared/create-task.ts';
import { checkNoCycle } from './shared/order.ts';
import { checkAncestryInScope, findDefaultParent } from './shared/scope.ts';

const addSubtask: Shortcut = { args: ['parent', 'title'], paramAliases: { taskId: 'parent', id: 'parent' } };
const addEpic: Shortcut = { args: ['title'], params: { type: 'epic' } };

export const tasksAdd = mutation({
  name: 'tasks.add',
  summary: 'Create a task',
  params: strictObject(taskInput),
  synonyms: ['new', 'create', 'insert'],
  shortcuts: {
    subtask: addSubtask,
    'add-subtask': addSubtask,
    'create-subtask': addSubtask,
    'new-subtask': addSubtask,
    'add-epic': addEpic,
    'create-epic': addEpic,
    'new-epic': addEpic,
    'epic add': addEpic,
    'epic create': addEpic,
    'epic new': addEpic,
  },
  result: strictObject({ task: TaskReceiptSchema }),
  errors: [
    'E_PARENT_NOT_FOUND',
    'E_DEPTH_EXCEEDED',
    'E_SIBLING_LIMIT',
    'E_INVALID_PARENT_TYPE',
    'E_CIRCULAR_REFERENCE',
    'E_NOT_FOUND',
    'E_TASK_COMPLETED',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 0,
  cli: {
    command: 'add',
    args: ['title'],
    short: { d: 'description' },
    texts: ['description', 'notes'],
    asks: 'title',
    editor: async () => (await import('../model/task-editor.ts')).taskEditor,
  },
  dryRun: true,
  example: { world: ['T001 epic'], call: { title: 'Write the parser', parent: 'T001', description: 'Reads the grammar of spec 2' } },
  readAhead: ({ tasks }, { parent }) => (parent ? [tasks.getAncestry(parent), tasks.countOpenChildren(parent)] : []),
  async run(ctx, { parent: givenParent, ...input }) {
    const { store } = ctx;
    const parent = givenParent ?? (await findDefaultParent(ctx, input.type));
    const ancestry = parent ? await requireAncestry(store, parent) : [];
    checkAncestryInScope(ctx.session, ancestry, parent);
    const type = input.type ?? getChildTier(ancestry[0]?.type);
    await checkPosition(ctx, { type, status: 'pending' }, ancestry);
    const task = createTask(ctx, await store.tasks.nextId(), { ...input, type }, ancestry[0]);
    if (task.depends.length > 0) {
      await checkDependsExist(store, task.depends);
      await checkNoCycle(store, [task], 'depends');
    }
    await store.tasks.insert(task, createNotes(ctx, input.notes));
    return { task: toTaskReceipt(task, ['priority']) };
  },
});
