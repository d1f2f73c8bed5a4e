import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeParams, listCommandNames } from '#core/command-line.ts';
import { commandLine, quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { EditorForm } from '#core/model/editor-form.ts';
import { dispatch } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { type AskedCall, cancel, type PendingCall } from './ask-before-call.ts';
import { isInteractive } from './interactive.ts';
import { type EditedTaskText, formatTaskText, listTextChanges, parseTaskText } from './task-text.ts';

type EditedRecord = Record<string, unknown> & { id: string; revision: number };

/** Opens the form of an operation in an editor: the present record, or an empty one for an operation that creates a record. The changes
 *  become parameters of the call. A text that cannot be used is stored in a file, so that no work is lost. */
export async function editTaskText(call: PendingCall): Promise<AskedCall> {
  const { app, operation, parsed, terminal } = call;
  const [command] = listCommandNames(operation);
  const form = await operation.cli.editor?.();
  if (!form || !(await isInteractive(app.platform)))
    throw new CleoError('E_INVALID_INPUT', { problem: '--edit needs a terminal', fix: `cleo help ${command}` });
  const shapes = describeParams(operation.params);
  const lists = shapes.filter(({ type }) => type === 'list').map(({ name }) => name);
  const [idParam = ''] = operation.cli.args ?? [];
  const record = form.record && (await readRecord(call, form.record, idParam));
  // The call itself reports why there is no such record.
  if (form.record && !record) return {};
  const values = Object.fromEntries(form.fields.map((name) => [name, record?.[form.record?.names[name] ?? name]]));
  const present = toTaskText({ ...values, [form.body]: record?.[form.body] }, form);
  const { fields, description } = toTaskText({ ...values, [form.body]: record?.[form.body], ...parsed.params }, form);
  const missing = (text: EditedTaskText): string | undefined =>
    shapes.find(({ name, isRequired }) => isRequired && form.fields.includes(name) && !text.fields[name])?.name;
  const comment = record
    ? `${record.id}, ${record.status}. Save to change it; an unchanged text changes nothing.`
    : `${operation.summary}. Without a ${missing({ fields: {}, description: '' })} nothing is created.`;
  const fileName = record?.id ?? 'new';
  const written = openEditor(formatTaskText({ fields, description }, comment), fileName, `cleo help ${command}`);
  const retry = commandLine(['cleo', ...command!.split(' '), ...(record ? [record.id] : []), '--edit']);
  const storeText = (): string => `Your text is in ${createFile(written, fileName)}`;
  const after = parseTaskText(written, form.fields);
  if ('problem' in after)
    throw new CleoError('E_INVALID_INPUT', { problem: `line ${after.line}: ${after.problem}. ${storeText()}`, fix: retry });
  if (!record && missing(after)) return cancel(terminal, `Nothing was created: the ${missing(after)} is empty.`);
  const found = listTextChanges(present, after, { ...form, lists });
  if ('problem' in found) throw new CleoError('E_INVALID_INPUT', { problem: `${found.problem}. ${storeText()}`, fix: retry });
  const others = Object.entries(parsed.params).filter(([name]) => !form.fields.includes(name) && name !== form.body);
  const isNamed = others.some(([name]) => name === idParam);
  if (Object.keys(found.changes).length === 0 && others.every(([name]) => name === idParam)) return cancel(terminal, 'Nothing changed.');
  parsed.params = { ...Object.fromEntries(others), ...found.changes };
  if (record && form.record) parsed.params[form.record.revision] = record.revision;
  if (record && !isNamed) parsed.params[idParam] = record.id;
  return { onError: () => terminal.writeError(`${storeText()}\n`) };
}

/** Reads the record that the first argument names, or the default one. */
async function readRecord(
  { app, parsed }: PendingCall,
  { read, readDefault }: NonNullable<EditorForm['record']>,
  idParam: string,
): Promise<EditedRecord | undefined> {
  const { session, agent } = parsed.globals;
  const call = async (operation: string, params: Record<string, unknown>): Promise<EditedRecord | undefined> => {
    const { envelope } = await dispatch(app, { gateway: 'cli', operation, params, ...defined({ session, agent }) });
    return envelope.success ? (envelope[envelope._meta.resultsField ?? ''] as EditedRecord | undefined) : undefined;
  };
  const [given] = [parsed.params[idParam]].flat();
  const id = given ?? (await call(readDefault, {}))?.id;
  return id === undefined ? undefined : call(read, { [idParam]: id });
}

function toTaskText(values: Record<string, unknown>, { fields: names, body }: EditorForm): EditedTaskText {
  const toText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : value === undefined ? '' : String(value));
  const fields = Object.fromEntries(names.map((name) => [name, toText(values[name])]));
  return { fields, description: toText(values[body]).trimEnd() };
}

function createFile(text: string, name: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'cleo-')), `${name}.md`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Lets the user edit a text. The variable may contain options, so a shell reads it. */
function openEditor(text: string, name: string, fix: string): string {
  const { env, platform } = process;
  const isWindows = platform === 'win32';
  const editor = env.VISUAL || env.EDITOR || (isWindows ? 'notepad' : 'vi');
  const path = createFile(text, name);
  const { status, error } = spawnSync(`${editor} ${isWindows ? `"${path}"` : quote(path)}`, { shell: true, stdio: 'inherit' });
  if (error || status !== 0)
    throw new CleoError('E_INVALID_INPUT', {
      problem: `the editor ${JSON.stringify(editor)} failed (exit ${status ?? 'unknown'}); set VISUAL or EDITOR. Your text is in ${path}`,
      fix,
    });
  const written = readFileSync(path, 'utf8');
  rmSync(dirname(path), { recursive: true, force: true });
  return written;
}
