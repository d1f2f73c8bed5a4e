import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { describeParams } from '#core/shape.ts';
import { dispatch } from '#dispatch/dispatch.ts';
import { type AskedCall, cancel, type PendingCall } from './ask-before-call.ts';
import { isInteractive } from './interactive.ts';
import { formatTaskText, listTextChanges, parseTaskText, type TaskText } from './task-text.ts';

/** The fields above the description, in this order, as far as the operation has them. */
const editedFields = ['title', 'priority', 'size', 'labels', 'phase', 'parent', 'depends', 'files', 'assignee', 'due'];

type Task = Record<string, unknown> & { id: string; revision: number };

/** Opens the task of a call in an editor: the present one for `update`, a new one for `add`. The changes become parameters of the call.
 *  A text that cannot be used is stored in a file, so that no work is lost. */
export async function editTaskText(call: PendingCall): Promise<AskedCall> {
  const { app, operation, parsed, terminal } = call;
  const command = operation.name === 'tasks.add' ? 'add' : 'update';
  if (!(await isInteractive(app.platform)))
    throw new CleoError('E_INVALID_INPUT', { problem: '--edit needs a terminal', fix: `cleo help ${command}` });
  const shapes = describeParams(operation.params);
  const names = editedFields.filter((name) => shapes.some((shape) => shape.name === name));
  const lists = shapes.filter(({ type }) => type === 'list').map(({ name }) => name);
  const task = command === 'add' ? undefined : await readTask(call);
  // The call itself reports why there is no such task.
  if (command === 'update' && !task) return {};
  const present = toTaskText({ ...task, parent: task?.parentId }, names);
  const { fields, description } = toTaskText({ ...task, parent: task?.parentId, ...parsed.params }, names);
  const comment = task
    ? `${task.id}, ${task.status}. Save to change it; an unchanged text changes nothing.`
    : 'A new task. Without a title nothing is created.';
  const written = openEditor(formatTaskText({ fields, description }, comment), task?.id ?? 'task');
  const retry = task ? `cleo update ${task.id} --edit` : 'cleo add --edit';
  const storeText = (): string => {
    const path = createFile(written, task?.id ?? 'task');
    return `Your text is in ${path}`;
  };
  const after = parseTaskText(written, names);
  if ('problem' in after)
    throw new CleoError('E_INVALID_INPUT', { problem: `line ${after.line}: ${after.problem}. ${storeText()}`, fix: retry });
  if (!task && !after.fields.title) return cancel(terminal, 'Nothing was created: the title is empty.');
  const found = listTextChanges(present, after, lists);
  if ('problem' in found) throw new CleoError('E_INVALID_INPUT', { problem: `${found.problem}. ${storeText()}`, fix: retry });
  const others = Object.entries(parsed.params).filter(([name]) => !names.includes(name) && name !== 'description');
  if (Object.keys(found.changes).length === 0 && others.every(([name]) => operation.cli.args?.includes(name)))
    return cancel(terminal, 'Nothing changed.');
  parsed.params = { ...(task ? { expectRevision: task.revision } : {}), ...Object.fromEntries(others), ...found.changes };
  if (task && !others.some(([name]) => operation.cli.args?.includes(name))) parsed.params[operation.cli.args![0]!] = task.id;
  return { onError: () => terminal.writeError(`${storeText()}\n`) };
}

/** Reads the task of the call, or the focused one. */
async function readTask({ app, operation, parsed }: PendingCall): Promise<Task | undefined> {
  const { session, agent } = parsed.globals;
  const who = { gateway: 'cli' as const, ...(session ? { session } : {}), ...(agent ? { agent } : {}) };
  const [given] = [parsed.params[operation.cli.args?.[0] ?? '']].flat();
  const id = given ?? ((await dispatch(app, { ...who, operation: 'tasks.current', params: {} })).envelope.task as Task | undefined)?.id;
  if (id === undefined) return undefined;
  const { envelope } = await dispatch(app, { ...who, operation: 'tasks.show', params: { taskId: id } });
  return envelope.success ? (envelope.task as Task) : undefined;
}

function toTaskText(values: Record<string, unknown>, names: string[]): TaskText {
  const toText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : value === undefined ? '' : String(value));
  const fields = Object.fromEntries(names.map((name) => [name, toText(values[name])]));
  return { fields, description: toText(values.description).trimEnd() };
}

function createFile(text: string, name: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'cleo-')), `${name}.md`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Lets the user edit a text. The variable may contain options, so a shell reads it. */
function openEditor(text: string, name: string): string {
  const { env, platform } = process;
  const isWindows = platform === 'win32';
  const editor = env.VISUAL || env.EDITOR || (isWindows ? 'notepad' : 'vi');
  const path = createFile(text, name);
  const { status, error } = spawnSync(`${editor} ${isWindows ? `"${path}"` : quote(path)}`, { shell: true, stdio: 'inherit' });
  if (error || status !== 0)
    throw new CleoError('E_INVALID_INPUT', {
      problem: `the editor ${JSON.stringify(editor)} failed (exit ${status ?? 'unknown'}); set VISUAL or EDITOR. Your text is in ${path}`,
      fix: 'cleo help update',
    });
  const written = readFileSync(path, 'utf8');
  rmSync(dirname(path), { recursive: true, force: true });
  return written;
}
