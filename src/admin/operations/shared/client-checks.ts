import { join } from 'node:path';
import { picklist, strictObject, string } from 'valibot';
import { clipText } from '#lib/budget.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, ProgramResult, Project } from '#platform/port.ts';
import { type Client, type ClientName, clientNames, clients, serverCommand, workspaceFolder } from '../../rules/setup-clients.ts';
import { listHookCommands, readServerEntry, type ServerEntry } from '../../rules/setup-plan.ts';
import { createProjectReader } from './setup-files.ts';

export interface ClientCheck {
  client: ClientName;
  check: 'server' | 'tools' | 'store' | 'hook';
  ok: boolean;
  message: string;
  command?: string;
  /** The command that resolves a failed check. */
  fix?: string;
  /** The step of a person that resolves it, if no command does. */
  manual?: string;
}

/** Time for a server to start and answer. A server that npx installs first needs most of it. */
const timeoutMs = 60_000;

/** Starts the server and the hooks of a client with the command, folder and environment that its files give them. */
export async function checkAgentClient(platform: Platform, project: Project, client: Client, signal?: AbortSignal): Promise<ClientCheck[]> {
  const readText = await createProjectReader(project);
  const entry = readServerEntry(client, readText);
  const limits = { inheritsEnv: true, timeoutMs, maxBytes: 1 << 20, tailBytes: 1 << 20, ...(signal ? { signal } : {}) } as const;
  if (!entry)
    return [
      {
        client: client.name,
        check: 'server',
        ok: false,
        message: 'the entry of the server has no command',
        fix: `cleo setup ${client.name}`,
      },
    ];
  const folder = entry.cwd === undefined ? project.root : join(entry.cwd.replace(workspaceFolder, project.root));
  const ran = await platform.runProgram(entry.command, { folder, input: handshake, env: entry.env, ...limits });
  const checks = checkServer(client, entry, ran);
  const { toShellWords } = await import('#platform/shell.ts');
  for (const { event, command } of listHookCommands(client, readText)) {
    const words = toShellWords(command);
    // No session id: the check must not be taken for a conversation of the client.
    const output = await platform.runProgram(words, { folder: project.root, input: JSON.stringify({ hook_event_name: event }), ...limits });
    checks.push(checkHook(client, event, command, output));
  }
  return checks;
}

/** A step that is left to a person. */
export const StepSchema = strictObject({ client: picklist(clientNames), step: string() });

/** Lists the steps that are left to a person after setup: cleo must be found by the client, which may ask for approval. */
export async function listSteps(
  platform: Platform,
  project: Project,
  names: ClientName[],
): Promise<{ client: ClientName; step: string }[]> {
  const { problem } = await platform.runProgram([serverCommand, '--version'], {
    folder: project.root,
    inheritsEnv: true,
    timeoutMs: 10_000,
  });
  return clients
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name, title, steps }) => [
      ...(problem ? [{ client: name, step: `Install cleo so that ${title} finds it; it is not on the PATH of this shell` }] : []),
      ...steps.map((step) => ({ client: name, step })),
      { client: name, step: `Run cleo setup --check ${name} if the tools are missing` },
    ]);
}

/** The messages of a client that connects, lists the tools and reads from the store. */
const handshake = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cleo-setup-check', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
  { id: 3, method: 'tools/call', params: { name: 'cleo_query', arguments: { domain: 'session', operation: 'list' } } },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

function checkServer(client: Client, { command, file }: ServerEntry, ran: ProgramResult): ClientCheck[] {
  const base = { client: client.name, command: command.join(' ') };
  const fail = (check: ClientCheck['check'], message: string, step: Pick<ClientCheck, 'fix' | 'manual'>): ClientCheck => ({
    ...base,
    check,
    ok: false,
    message,
    ...step,
  });
  if (ran.problem) {
    const manual = `Install ${command[0]} so that ${client.title} finds it, or correct its entry in ${file}`;
    return [fail('server', `${ran.problem}; ${command[0]} must be on the PATH of ${client.title} (its entry is in ${file})`, { manual })];
  }
  const answers = ran.stdout.split('\n').map((line) => parseJson(line));
  const findResult = (id: number): unknown => answers.filter(isPlainObject).find((answer) => answer.id === id)?.result;
  const started = findResult(1);
  if (!isPlainObject(started) || !isPlainObject(started.serverInfo)) {
    const reason = ran.stopped === 'time' ? `no answer in ${timeoutMs / 1000} seconds` : (ran.stderr.trim().split('\n').at(-1) ?? '');
    const manual = `Correct the entry in ${file}; its command must start the server of cleo`;
    return [fail('server', `did not answer initialize: ${reason || `exit code ${ran.exitCode ?? ran.signal}`}`, { manual })];
  }
  const { name, version } = started.serverInfo;
  const ready = { ...base, check: 'server' as const, ok: true, message: `${name} ${version} answered in ${ran.durationMs} ms` };
  const listed = findResult(2);
  const tools =
    isPlainObject(listed) && Array.isArray(listed.tools) ? listed.tools.flatMap((tool) => (isPlainObject(tool) ? [tool.name] : [])) : [];
  if (!tools.includes('cleo_query'))
    return [ready, fail('tools', `lists ${tools.join(', ') || 'no tools'}, not cleo_query`, { fix: `cleo setup ${client.name}` })];
  const called = findResult(3);
  const hasRead = isPlainObject(called) && called.isError !== true;
  const problem = isPlainObject(called) && isPlainObject(called.structuredContent) ? called.structuredContent.error : undefined;
  return [
    ready,
    { ...base, check: 'tools', ok: true, message: tools.join(', ') },
    hasRead
      ? { ...base, check: 'store', ok: true, message: 'the server reads the store of this project' }
      : fail('store', isPlainObject(problem) ? String(problem.message) : 'session.list failed', {
          fix: isPlainObject(problem) ? String(problem.fix) : 'cleo doctor',
        }),
  ];
}

function checkHook(
  { name, title }: Client,
  event: string,
  command: string,
  { exitCode, stdout, stderr, problem }: ProgramResult,
): ClientCheck {
  const base = { client: name, check: 'hook' as const, command };
  if (problem || exitCode !== 0)
    return {
      ...base,
      ok: false,
      message: `${event}: ${problem ?? (stderr.trim() || `exit code ${exitCode}`)}`,
      manual: `Correct the hook ${event} of ${title}`,
    };
  const text = stdout.trim();
  if (text === '')
    return {
      ...base,
      ok: false,
      message: `${event}: printed nothing`,
      manual: 'Put cleo on the PATH of the shell that runs the hooks',
    };
  const answer = parseJson(text);
  const isExpected = name === 'gemini' ? isPlainObject(answer) && 'hookSpecificOutput' in answer : !isPlainObject(answer);
  if (!isExpected)
    return { ...base, ok: false, message: `${event}: printed ${clipText(text.replace(/\s+/g, ' '), 200)}`, fix: `cleo setup ${name}` };
  return { ...base, ok: true, message: `${event}: passes ${stdout.length} characters to the agent` };
}
