import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { describeParams } from '#core/shape.ts';
import type { Reply } from '#dispatch/dispatch.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import { callOperation, hasOperation, type McpContext } from './context.ts';

interface ResourceKind {
  name: string;
  /** Up to its variable, which is the last part. */
  uri: string;
  variable?: string;
  title: string;
  /** The query behind it, and its parameter that the variable fills. A kind whose query is not there is not served. */
  operation: string;
  param?: string;
  complete?(desk: McpContext, beginning: string): Promise<string[]>;
}

const kinds: ResourceKind[] = [
  { name: 'briefing', uri: 'cleo://briefing', title: 'Where the work stands', operation: 'session.briefing' },
  {
    name: 'injection',
    uri: 'cleo://injection/',
    variable: 'tier',
    title: 'The protocol for agents, up to a tier',
    operation: 'admin.inject',
    param: 'tier',
    complete: async (desk, beginning) => (await listChoices(desk, 'admin.inject', 'tier')).filter((tier) => tier.startsWith(beginning)),
  },
  {
    name: 'task',
    uri: 'cleo://task/',
    variable: 'id',
    title: 'A task with everything known of it',
    operation: 'tasks.show',
    param: 'taskId',
    complete: completeTaskIds,
  },
  {
    name: 'grade',
    uri: 'cleo://grade/',
    variable: 'session',
    title: 'How a session was worked, graded',
    operation: 'admin.grade',
    param: 'sessionId',
    complete: completeSessionIds,
  },
];

export const taskUri = (id: string): string => `cleo://task/${id}`;
export const briefingUri = 'cleo://briefing';

const listKinds = (desk: McpContext): ResourceKind[] => kinds.filter(({ operation }) => hasOperation(desk, operation));

/** What can be listed by name: the briefing, the tiers, and the tasks that may be started now. */
export async function listResources(desk: McpContext): Promise<Resource[]> {
  const found = listKinds(desk);
  const of = (name: string): ResourceKind[] => found.filter((kind) => kind.name === name);
  return [
    ...of('briefing').map(({ uri, name, title }) => ({ uri, name, title })),
    ...(
      await Promise.all(of('injection').map(async (kind) => (await kind.complete!(desk, '')).map((tier) => toResource(kind, tier, tier))))
    ).flat(),
    ...(await listReadyTasks(desk)).map(({ id, title }) => toResource(of('task')[0]!, id, title)),
  ];
}

const toResource = ({ uri, name }: ResourceKind, value: string, title: string): Resource => ({
  uri: uri + value,
  name: `${name} ${value}`,
  title,
});

export const listTemplates = (desk: McpContext): ResourceTemplateType[] =>
  listKinds(desk).flatMap(({ uri, variable, name, title }) => (variable ? [{ uriTemplate: `${uri}{${variable}}`, name, title }] : []));

export async function readResource(desk: McpContext, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const kind = listKinds(desk).find((each) =>
    each.variable ? uri.startsWith(each.uri) && uri.length > each.uri.length : uri === each.uri,
  );
  if (!kind) throw new ResourceNotFoundError(uri);
  const params = kind.param ? { [kind.param]: decodeVariable(uri, kind.uri.length) } : {};
  const { envelope, operation } = await callOperation(desk, { operation: kind.operation, params, signal });
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

/** An operation that answers with a text is that text; any other is its main result as JSON. */
function toContent(envelope: Envelope, operation: Reply['operation']): { text: string; mimeType: string } {
  const text = operation?.cli.raw && envelope[operation.cli.raw];
  return typeof text === 'string'
    ? { text, mimeType: 'text/markdown' }
    : { text: JSON.stringify(envelope[envelope._meta.resultsField ?? '']), mimeType: 'application/json' };
}

/** Values for the variable of a template that begin so. */
export async function completeResource(desk: McpContext, uriTemplate: string, variable: string, beginning: string): Promise<string[]> {
  const kind = listKinds(desk).find((each) => each.variable && `${each.uri}{${each.variable}}` === uriTemplate);
  if (!kind) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${uriTemplate} not found`);
  return kind.variable === variable && kind.complete ? kind.complete(desk, beginning) : [];
}

/** Ids that begin with these digits; without any, those of the tasks that may be started now. */
export async function completeTaskIds(desk: McpContext, beginning: string): Promise<string[]> {
  const digits = /^[tT]?0*(\d{0,15})$/.exec(beginning.trim())?.[1];
  if (digits === undefined) return [];
  if (digits === '') return (await listReadyTasks(desk)).map(({ id }) => id);
  const found = listIds((await callOperation(desk, { operation: 'tasks.find', params: { id: digits, limit: 100 } })).envelope.tasks);
  // `T01` is the beginning of T012; `T1` or `1` may mean T001.
  const literal = found.filter((id) => id.startsWith(beginning.trim().toUpperCase()));
  return literal.length > 0 ? literal : found;
}

async function listReadyTasks(desk: McpContext): Promise<{ id: string; title: string }[]> {
  if (!hasOperation(desk, 'orchestrate.ready')) return [];
  const { envelope } = await callOperation(desk, { operation: 'orchestrate.ready', params: {} });
  return (envelope.tasks as { id: string; title: string }[] | undefined) ?? [];
}

export async function completeSessionIds(desk: McpContext, beginning: string): Promise<string[]> {
  if (!hasOperation(desk, 'session.list')) return [];
  const { envelope } = await callOperation(desk, { operation: 'session.list', params: {} });
  return listIds(envelope.sessions).filter((id) => id.startsWith(beginning));
}

async function listChoices({ app }: McpContext, operation: string, param: string): Promise<string[]> {
  const { params } = await app.registry.load(operation);
  return describeParams(params).find(({ name }) => name === param)?.choices ?? [];
}

const listIds = (records: unknown): string[] => (Array.isArray(records) ? records.map(({ id }: { id: string }) => id) : []);
