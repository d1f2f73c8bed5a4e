import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { describeParams } from '#core/command-line.ts';
import type { Envelope, Reply } from '#dispatch/dispatch.ts';
import { escapeInvisible, escapeInvisibleInJson } from '#lib/invisible.ts';
import { callOperation, hasOperation, type McpContext } from './context.ts';

interface ResourceKind {
  name: string;
  /** The URI up to its variable, which is the last part. */
  uri: string;
  variable?: string;
  title: string;
  /** The query that reads the resource, and the parameter for the variable. A kind without its query is not served. */
  operation: string;
  param?: string;
  complete?(context: McpContext, beginning: string): Promise<string[]>;
}

const kinds: ResourceKind[] = [
  { name: 'briefing', uri: 'cleo://briefing', title: 'Current state of the work', operation: 'session.briefing' },
  {
    name: 'injection',
    uri: 'cleo://injection/',
    variable: 'tier',
    title: 'The agent protocol up to a tier',
    operation: 'admin.inject',
    param: 'tier',
    complete: async (context, beginning) =>
      (await listChoices(context, 'admin.inject', 'tier')).filter((tier) => tier.startsWith(beginning)),
  },
  {
    name: 'task',
    uri: 'cleo://task/',
    variable: 'id',
    title: 'A task with all its details',
    operation: 'tasks.show',
    param: 'taskId',
    complete: completeTaskIds,
  },
  {
    name: 'grade',
    uri: 'cleo://grade/',
    variable: 'session',
    title: 'The grade of a session',
    operation: 'admin.grade',
    param: 'sessionId',
    complete: completeSessionIds,
  },
];

export const taskUri = (id: string): string => `cleo://task/${id}`;
export const briefingUri = 'cleo://briefing';

const listKinds = (context: McpContext): ResourceKind[] => kinds.filter(({ operation }) => hasOperation(context, operation));

/** Lists the briefing, the tiers of the protocol, and the tasks that are ready. */
export async function listResources(context: McpContext): Promise<Resource[]> {
  const served = listKinds(context);
  const getKinds = (name: string): ResourceKind[] => served.filter((kind) => kind.name === name);
  return [
    ...getKinds('briefing').map(({ uri, name, title }) => ({ uri, name, title })),
    ...(
      await Promise.all(
        getKinds('injection').map(async (kind) => (await kind.complete!(context, '')).map((tier) => toResource(kind, tier, tier))),
      )
    ).flat(),
    ...(await listReadyTasks(context)).map(({ id, title }) => toResource(getKinds('task')[0]!, id, title)),
  ];
}

const toResource = ({ uri, name }: ResourceKind, value: string, title: string): Resource => ({
  uri: uri + value,
  name: `${name} ${value}`,
  title,
});

export const listTemplates = (context: McpContext): ResourceTemplateType[] =>
  listKinds(context).flatMap(({ uri, variable, name, title }) => (variable ? [{ uriTemplate: `${uri}{${variable}}`, name, title }] : []));

export async function readResource(context: McpContext, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const kind = listKinds(context).find((each) =>
    each.variable ? uri.startsWith(each.uri) && uri.length > each.uri.length : uri === each.uri,
  );
  if (!kind) throw new ResourceNotFoundError(uri);
  const params = kind.param ? { [kind.param]: decodeVariable(uri, kind.uri.length) } : {};
  const { envelope, operation } = await callOperation(context, { operation: kind.operation, params, signal });
  if (!envelope.success) throw toProtocolError(uri, envelope);
  return { contents: [{ uri, ...toContent(envelope, operation) }] };
}

function decodeVariable(uri: string, from: number): string {
  try {
    return decodeURIComponent(uri.slice(from));
  } catch {
    throw new ResourceNotFoundError(uri);
  }
}

function toProtocolError(uri: string, envelope: Envelope): Error {
  const error = envelope.error as { exitCode: number; message: string };
  if (error.exitCode === 4) return new ResourceNotFoundError(uri, error.message);
  const code = error.exitCode === 1 || error.exitCode === 3 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, error.message, { uri, error });
}

/** Returns the text of an operation that answers with one, else its primary data as JSON. */
function toContent(envelope: Envelope, operation: Reply['operation']): { text: string; mimeType: string } {
  const text = operation?.cli.raw && envelope[operation.cli.raw];
  return typeof text === 'string'
    ? { text: escapeInvisible(text), mimeType: 'text/markdown' }
    : { text: escapeInvisibleInJson(JSON.stringify(envelope[envelope._meta.resultsField ?? ''])), mimeType: 'application/json' };
}

/** Completes the variable of a resource template. */
export async function completeResource(context: McpContext, uriTemplate: string, variable: string, beginning: string): Promise<string[]> {
  const kind = listKinds(context).find((each) => each.variable && `${each.uri}{${each.variable}}` === uriTemplate);
  if (!kind) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${uriTemplate} not found`);
  return kind.variable === variable && kind.complete ? kind.complete(context, beginning) : [];
}

/** Completes a task id; without digits, lists the tasks that are ready. */
export async function completeTaskIds(context: McpContext, beginning: string): Promise<string[]> {
  const digits = /^[tT]?0*(\d{0,15})$/.exec(beginning.trim())?.[1];
  if (digits === undefined) return [];
  if (digits === '') return (await listReadyTasks(context)).map(({ id }) => id);
  const found = listIds((await callOperation(context, { operation: 'tasks.find', params: { id: digits, limit: 100 } })).envelope.tasks);
  // `T01` is a prefix of T012; `T1` or `1` may mean T001.
  const literal = found.filter((id) => id.startsWith(beginning.trim().toUpperCase()));
  return literal.length > 0 ? literal : found;
}

async function listReadyTasks(context: McpContext): Promise<{ id: string; title: string }[]> {
  if (!hasOperation(context, 'orchestrate.ready')) return [];
  const { envelope } = await callOperation(context, { operation: 'orchestrate.ready', params: {} });
  return (envelope.tasks as { id: string; title: string }[] | undefined) ?? [];
}

async function completeSessionIds(context: McpContext, beginning: string): Promise<string[]> {
  if (!hasOperation(context, 'session.list')) return [];
  const { envelope } = await callOperation(context, { operation: 'session.list', params: {} });
  return listIds(envelope.sessions).filter((id) => id.startsWith(beginning));
}

async function listChoices({ app }: McpContext, operation: string, param: string): Promise<string[]> {
  const { params } = await app.registry.load(operation);
  return describeParams(params).find(({ name }) => name === param)?.choices ?? [];
}

const listIds = (records: unknown): string[] => (Array.isArray(records) ? records.map(({ id }: { id: string }) => id) : []);
