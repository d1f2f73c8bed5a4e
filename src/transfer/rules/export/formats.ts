import type { TaskId } from '#core/model/scalars.ts';
import type { Task } from '#tasks/model/task.ts';
import type { ImportTool } from '../detect-tool.ts';
import { formatGithub, githubLosses, listGithubIds } from '../export-github.ts';
import { backlogLosses, type ExportedFile, formatBacklog, formatBacklogConfig, listBacklogIds } from './backlog.ts';
import { beadsLosses, formatBeads, listBeadsIds } from './beads.ts';
import {
  createLossCounter,
  type ExportContext,
  type ExportedIdentity,
  type ExportIds,
  type ExportLoss,
  listCriteria,
  redactTask,
} from './context.ts';
import { formatTaskmaster, listTaskmasterIds, taskmasterLosses } from './taskmaster.ts';
import { formatTaskwarrior, listTaskwarriorIds, taskwarriorLosses } from './taskwarrior.ts';
import { formatTodoTxt, listTodoIds, todoLosses } from './todo-txt.ts';

interface ToolExporter {
  listIds(tasks: readonly ExportedIdentity[]): ExportIds;
  /** Fields that the tool does not have. */
  losses: readonly (keyof Task)[];
  format(tasks: Task[], context: ExportContext): string | ExportedFile[];
}

const exporters: Record<ImportTool, ToolExporter> = {
  beads: { listIds: listBeadsIds, losses: beadsLosses, format: formatBeads },
  taskmaster: { listIds: listTaskmasterIds, losses: taskmasterLosses, format: formatTaskmaster },
  backlog: { listIds: listBacklogIds, losses: backlogLosses, format: formatBacklog },
  taskwarrior: { listIds: listTaskwarriorIds, losses: taskwarriorLosses, format: formatTaskwarrior },
  github: { listIds: listGithubIds, losses: githubLosses, format: formatGithub },
  'todo.txt': { listIds: listTodoIds, losses: todoLosses, format: formatTodoTxt },
};

interface ToolExport {
  /** One text, or the files of a folder. */
  content: string | ExportedFile[];
  losses: ExportLoss[];
}

/** Formats tasks for another tool. */
export const formatForTool = (tool: ImportTool, tasks: Task[]): ToolExport => createToolFormatter(tool, tasks)(tasks);

/** Creates a formatter for some of the tasks at a time. `all` are the tasks that ids and links refer to, `idsInFile` ids that are known
 *  from a file. */
export function createToolFormatter(
  tool: ImportTool,
  all: readonly ExportedIdentity[],
  idsInFile: ReadonlyMap<TaskId, string> = new Map(),
): (tasks: Task[]) => ToolExport {
  const { losses, format } = exporters[tool];
  const shared = createContext(tool, all, idsInFile, () => {});
  return (tasks) => {
    const counter = createLossCounter();
    const redacted = tasks.map((task) => redactTask(task, counter.report));
    for (const task of tasks) for (const field of losses) if (hasValue(task, field)) counter.report(task, field);
    return { content: format(redacted, { ...shared, reportLoss: counter.report }), losses: counter.list() };
  };
}

/** Formats the settings of a folder that Backlog.md does not know yet. */
export const formatBacklogSettings = (name: string, tasks: Task[]): string =>
  formatBacklogConfig(
    name,
    tasks,
    createContext('backlog', tasks, new Map(), () => {}),
  );

/** Lists the ids of all tasks in the tool. */
export const listExportIds = (tool: ImportTool, tasks: readonly ExportedIdentity[]): Map<TaskId, string> =>
  exporters[tool].listIds(tasks).ids;

function createContext(
  tool: ImportTool,
  all: readonly ExportedIdentity[],
  idsInFile: ReadonlyMap<TaskId, string>,
  reportLoss: ExportContext['reportLoss'],
): ExportContext {
  const { ids, foreign } = exporters[tool].listIds(all);
  const parents = new Set(all.flatMap(({ parentId }) => parentId ?? []));
  const titles = new Map(all.map(({ id, title }) => [id, title]));
  return {
    getId: (id) => idsInFile.get(id) ?? ids.get(id),
    isForeign: (id) => foreign.has(id),
    hasChildren: (id) => parents.has(id),
    getTitle: (id) => titles.get(id) ?? '',
    reportLoss,
  };
}

/** Children are no loss: every tool has them as tasks. */
const hasValue = (task: Task, field: keyof Task): boolean => {
  const value = field === 'acceptance' ? listCriteria(task) : task[field];
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
};
