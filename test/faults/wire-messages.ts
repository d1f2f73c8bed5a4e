import type { Choices } from '../random.ts';
import { hostileTexts } from './hostile-values.ts';

/** Methods of requests and notifications, of all revisions, served or not. */
export const methods = [
  ...['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'resources/subscribe', 'resources/unsubscribe', 'prompts/list', 'prompts/get', 'completion/complete'],
  ...[
    'subscriptions/listen',
    'logging/setLevel',
    'sampling/createMessage',
    'elicitation/create',
    'roots/list',
    'tasks/get',
    'tasks/cancel',
  ],
  ...['notifications/cancelled', 'notifications/initialized', 'notifications/progress', 'notifications/message'],
  ...['notifications/roots/list_changed', 'notifications/tools/list_changed', 'notifications/resources/updated'],
  ...['notifications/elicitation/complete', 'notifications/tasks/status', 'notifications/subscriptions/acknowledged'],
  ...['', 'rpc.discover', '__proto__', 'constructor', 'toString', 'tools/call/x', 'notifications/'],
];

const ids: unknown[] = [
  1,
  0,
  -1,
  0.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  '',
  'a',
  'x'.repeat(10_000),
  '\u0000',
  null,
  true,
  {},
  [],
  [1],
  { id: 1 },
];
const metas: unknown[] = [
  {},
  null,
  5,
  { progressToken: {} },
  { progressToken: 'x'.repeat(5000) },
  { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  { 'io.modelcontextprotocol/protocolVersion': 7 },
  {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
];
/** Only reads, so that the messages do not change what later ones find. */
const calls: unknown[] = [
  { domain: 'tasks', operation: 'show', params: { taskId: 'T1' } },
  { domain: 'tasks', operation: 'find', params: { query: 'one' } },
  { domain: 'tasks', operation: 'list', params: null },
  { domain: 'tasks.show', params: 'T1' },
  { operation: 'admin.help' },
  { domain: 5, operation: [] },
  { domain: '__proto__', operation: 'constructor', params: { __proto__: { x: 1 } } },
  { domain: 'tasks', operation: 'show', params: [], session: {}, agent: [] },
  [],
  'tasks.show',
  null,
];

/** Creates parameters of a message, from valid to absurd. */
function createParams({ pick, chance }: Choices): unknown {
  const hostile = pick(Object.values(hostileTexts));
  const params = pick<unknown>([
    {},
    [],
    null,
    'text',
    5,
    { name: pick<unknown>(['cleo_query', 'cleo_query', 'cleo_mutate', '', null, {}, hostile]), arguments: pick(calls) },
    { uri: pick<unknown>(['cleo://briefing', 'cleo://task/T1', 'cleo://task/%', 'cleo://injection/9', hostile, null, 5]) },
    {
      name: pick<unknown>(['start-session', 'spawn-task', hostile, {}]),
      arguments: pick<unknown>([{}, { task: 'T1' }, { task: hostile }, 5]),
    },
    {
      ref: pick<unknown>([{ type: 'ref/prompt', name: 'spawn-task' }, { type: 'ref/resource', uri: 'cleo://task/{id}' }, {}, null]),
      argument: { name: 'id', value: hostile },
    },
    { requestId: pick(ids), reason: hostile },
    {
      protocolVersion: pick<unknown>(['2025-11-25', '2026-07-28', hostile, 5]),
      capabilities: {},
      clientInfo: pick<unknown>([{ name: 'f', version: '1' }, null]),
    },
    { progressToken: pick(ids), progress: pick<unknown>([1, -1, 'x', null]) },
    { level: hostile },
    { notifications: pick<unknown>([{}, [], { resourceSubscriptions: [hostile] }, { toolsListChanged: true }, 5]) },
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, hostile.slice(0, 50)])),
  ]);
  return chance(0.3) && typeof params === 'object' && params !== null && !Array.isArray(params)
    ? { ...params, _meta: pick(metas) }
    : params;
}

/** Creates a JSON-RPC message, valid or not. */
export function createMessage(choices: Choices): unknown {
  const { pick, chance } = choices;
  const message: Record<string, unknown> = { jsonrpc: chance(0.95) ? '2.0' : pick<unknown>(['1.0', 2, null, {}]) };
  if (chance(0.8)) message.id = pick(ids);
  if (chance(0.9)) message.method = chance(0.95) ? pick(methods) : pick<unknown>([5, null, {}, ['tools/list']]);
  if (chance(0.75)) message.params = createParams(choices);
  if (chance(0.05)) message.result = pick<unknown>([{}, null, 5]);
  if (chance(0.05)) message.error = pick<unknown>([{ code: 1, message: 'x' }, {}, null]);
  if (chance(0.05)) message[pick(['__proto__', 'constructor', 'toJSON', 'then'])] = {};
  return message;
}

/** Creates the bytes of one line or body: a message, a batch, or damaged JSON. */
export function createLine(choices: Choices): Buffer {
  const { pick, chance, below } = choices;
  const value = chance(0.12) ? Array.from({ length: below(6) }, () => createMessage(choices)) : createMessage(choices);
  const bytes = Buffer.from(JSON.stringify(value).replaceAll('\n', ' '));
  if (chance(0.8)) return bytes;
  const at = below(bytes.length + 1);
  return pick([
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]), bytes.subarray(at)]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([bytes, Buffer.from('\0')]),
    () => Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    () => Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`),
    () => Buffer.from('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}'),
    () => Buffer.from(`{"jsonrpc":"2.0","id":${'9'.repeat(500)},"method":"ping"}`),
    () => Buffer.from(Array.from({ length: 200 }, () => below(256)).map((byte) => (byte === 10 ? 11 : byte))),
    () =>
      Buffer.from(
        pick(['', ' ', '\t', '\r', 'null', 'true', '0', '""', '[]', '{}', '[[]]', 'NaN', "{'a':1}", '// x', 'Content-Length: 5']),
      ),
  ])();
}
