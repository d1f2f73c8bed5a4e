import { expect, test } from 'vitest';
import { isForPerson } from '../../src/core/errors/catalog.ts';
import type { Gateway } from '../../src/core/model/audit.ts';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { addCalls } from '../../src/surfaces/cli/error-calls.ts';
import { type Json, openApp, type TestApp } from '../app.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001: Lexer',
  'T003 done',
  'doc notes T002: Notes',
  'memory learning: Tabs',
  'release v1.0.0 T003',
];
const env = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'session-1' };

type Surface = 'cli' | 'mcp' | 'http';
type Step = [operation: string, params: Record<string, unknown>];

/** Sessions in which every call fails, mostly because something does not exist. */
const sessions: [name: string, surface: Surface, steps: Step[]][] = [
  [
    'tasks on the command line',
    'cli',
    [
      ['tasks.show', { taskId: 'T900' }],
      ['tasks.complete', { taskId: 'T0021' }],
    ],
  ],
  [
    'tasks over MCP',
    'mcp',
    [
      ['tasks.update', { taskId: 'T77', title: 'x' }],
      ['tasks.delete', { taskId: 'T88' }],
    ],
  ],
  [
    'tasks over HTTP',
    'http',
    [
      ['tasks.start', { taskId: 'T900' }],
      ['tasks.history', { taskId: 'T901' }],
    ],
  ],
  [
    'documents on the command line',
    'cli',
    [
      ['docs.fetch', { slug: 'note' }],
      ['docs.fetch', { slug: 'zzz' }],
      ['docs.fetch', { slug: 'notes', version: 9 }],
    ],
  ],
  [
    'documents and files over MCP',
    'mcp',
    [
      ['docs.fetch', { slug: 'zzz' }],
      ['docs.add', { taskId: 'T002', file: 'none.md' }],
      ['docs.list', { task: 'T999' }],
    ],
  ],
  [
    'memory over MCP',
    'mcp',
    [
      ['memory.fetch', { id: 'L-009' }],
      ['memory.store', { type: 'decision', content: 'x', source: 'doc:none' }],
    ],
  ],
  [
    'memory sources on the command line',
    'cli',
    [
      ['memory.store', { type: 'decision', content: 'x', source: 'task:x' }],
      ['memory.store', { type: 'decision', content: 'x', source: 'session:none' }],
      ['memory.store', { type: 'decision', content: 'x', source: 'adr:docs/none.md' }],
    ],
  ],
  [
    'skills and research over HTTP',
    'http',
    [
      ['skills.show', { name: 'ct-cle' }],
      ['skills.show', { name: 'zzzzzz' }],
      ['research.show', { entryId: 'T009-none' }],
    ],
  ],
  [
    'releases and backups on the command line',
    'cli',
    [
      ['release.show', { version: 'v9.0.0' }],
      ['admin.backup.restore', { id: '20200101T000000000Z-manual' }],
    ],
  ],
  [
    'stages, evidence and tokens over MCP',
    'mcp',
    [
      ['lifecycle.status', { epicId: 'T900' }],
      ['verify.status', { taskId: 'T901' }],
      ['validator.attest', { taskId: 'T902' }],
      ['admin.token.revoke', { name: 'none' }],
      ['tasks.criteria.check', { taskId: 'T002', n: 4 }],
    ],
  ],
];

const gateways: Record<Surface, (kind: string) => Gateway> = {
  cli: () => 'cli',
  mcp: (kind) => (kind === 'query' ? 'cleo_query' : 'cleo_mutate'),
  http: () => 'http',
};

/** Calls an operation as the surface does and returns the answer with the call of its fix. */
function createSurface({ root, env: variables }: TestApp, surface: Surface) {
  const app = createApp(createPlatform(variables, root, '0.0.0-test'));
  const call = async (operation: string, params: Record<string, unknown>): Promise<Json> => {
    const kind = app.registry.find(operation)?.kind ?? 'query';
    const request = { operation, params, gateway: gateways[surface](kind) };
    return (await addCalls(app, await dispatch(app, request), request)) as Json;
  };
  return { call, close: app.closeStores };
}

test.each(sessions)('a session that follows every fix loses nothing in S4: %s', async (_, surface, steps) => {
  const app = await openApp({ tasks: world, env });
  const { call, close } = createSurface(app, surface);
  const exits: number[] = [];
  for (const [operation, params] of steps) {
    const { error } = await call(operation, params);
    expect([operation, error?.exitCode]).toEqual([operation, expect.any(Number)]);
    exits.push(error.exitCode);
    expect(error.fix).not.toContain('cleo list');
    // The agent can only report a fix for a person.
    if (isForPerson(error.fix)) continue;
    if (surface === 'cli') await app.cli(error.fix);
    else await call(`${error.call.domain}.${error.call.operation}`, error.call.params);
  }
  await close();
  expect(exits).toContain(4);
  const { grade } = await app.call('admin.grade', { sessionId: 'session-1' });
  expect(grade.entryCount).toBeGreaterThan(exits.length);
  expect(grade.dimensions.errorProtocol).toMatchObject({ score: 20 });
});

test.each([
  ['without tasks', [], 'cleo help add'],
  ['with archived tasks only', ['T003 done archived'], 'cleo find --id 3 --archived'],
])('a session that follows the fix for an unknown task loses nothing in S4 in a project %s', async (_, tasks, fix) => {
  const app = await openApp({ tasks, env });
  expect((await app.call('tasks.show', { taskId: 'T900' })).error.fix).toBe(fix);
  expect((await app.cli(fix)).exitCode).toBe(0);
  expect((await app.call('admin.grade', { sessionId: 'session-1' })).grade.dimensions.errorProtocol.score).toBe(20);
});

test('a session that ignores its fixes loses points in S4', async () => {
  const app = await openApp({ tasks: world, env });
  await app.call('docs.fetch', { slug: 'zzz' });
  await app.call('tasks.list');
  expect((await app.call('admin.grade', { sessionId: 'session-1' })).grade.dimensions.errorProtocol.score).toBe(15);
});
