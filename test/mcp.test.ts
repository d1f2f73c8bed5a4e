import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { registry } from '../src/core/index.generated.ts';
import { instructions } from '../src/surfaces/mcp/server-info.ts';
import { openApp } from './app.ts';
import { connectClient, revisions } from './mcp-client.ts';

const findOperationNames = (text: string): string[] =>
  [...text.matchAll(/\b(?:tasks|session|admin|orchestrate)\.[a-z.-]*[a-z]\b/g)].map(([name]) => name);
const isOperation = (name: string): boolean => registry.entries.some((entry) => entry.name === name);

describe.each(revisions)('revision %s', (revision) => {
  test('declares exactly what it serves', async () => {
    const { client } = await connectClient(await openApp(), revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'cleo' });
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      completions: {},
    });
    expect(client.getInstructions()).toBe(instructions);
  });

  test('lists two tools with all hints in few bytes', async () => {
    const { client } = await connectClient(await openApp(), revision);
    const { tools } = await client.listTools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(2500);
    expect(tools.map(({ name, annotations }) => ({ name, annotations }))).toEqual([
      { name: 'cleo_query', annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } },
      { name: 'cleo_mutate', annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false } },
    ]);
    for (const { name, description = '', inputSchema, outputSchema } of tools) {
      const everyday = registry.entries.filter((entry) => entry.tier === 0 && (entry.kind === 'query') === (name === 'cleo_query'));
      for (const entry of everyday) expect(description).toMatch(new RegExp(`\\b${entry.name.slice(entry.name.indexOf('.') + 1)}\\b`));
      expect(inputSchema).toMatchObject({ type: 'object', properties: { params: { type: 'object' } }, required: ['domain', 'operation'] });
      expect(JSON.stringify(inputSchema)).not.toMatch(/anyOf|oneOf|allOf/);
      expect(outputSchema).toEqual({ type: 'object' });
    }
  });

  test('returns the same lean answer as text and as structured content, and performs the write', async () => {
    const app = await openApp();
    const { call } = await connectClient(app, revision);
    const added = await call('mutate', 'tasks.add', { title: 'Write the parser' });
    expect(added).toMatchObject({ isError: false, envelope: { success: true, task: { id: 'T001' }, data: { created: ['T001'] } } });
    expect(JSON.parse(added.text)).toEqual(added.answer);
    expect(Object.keys(added.answer)).toEqual(['task', 'data']);
    expect(added.text).not.toMatch(/\n| {2}/);
    expect(await app.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'Write the parser' } });
    const [entry] = await app.store.read((store) => store.audit.list({}, { limit: 1, offset: 0 }));
    expect(entry).toMatchObject({ gateway: 'cleo_mutate', domain: 'tasks', operation: 'add' });
  });

  test('shows invisible characters as escapes in text and structured content', async () => {
    const app = await openApp();
    const { call } = await connectClient(app, revision);
    await app.call('tasks.add', { title: 'Plain', description: 'a\u200bb\u{e0041}c' });
    const { text, answer } = await call('query', 'tasks.show', { taskId: 'T001' });
    expect(answer.task.description).toBe('a\\u200bb\\u{e0041}c');
    expect(JSON.parse(text)).toEqual(answer);
    expect((await app.call('tasks.show', { taskId: 'T001' })).task.description).toBe('a\u200bb\u{e0041}c');
  });

  test('reports the session only when it changes', async () => {
    const { call } = await connectClient(await openApp(), revision);
    const { answer: started } = await call('mutate', 'session.start', { scope: 'global' });
    expect(started._meta).toMatchObject({ sessionId: started.session.id });
    const { answer, envelope } = await call('query', 'session.status');
    expect(answer._meta?.sessionId).toBeUndefined();
    expect(envelope._meta.sessionId).toBe(started.session.id);
  });

  test('marks errors with isError, but not the exit codes 100 to 102', async () => {
    const { call, client } = await connectClient(await openApp({ tasks: ['T001'] }), revision);
    expect(await call('query', 'tasks.show', { taskId: 'T9' })).toMatchObject({
      isError: true,
      envelope: { error: { code: 'E_NOT_FOUND', exitCode: 4 } },
    });
    expect(await call('query', 'tasks.find', { query: 'nothing' })).toMatchObject({
      isError: false,
      envelope: { success: true, _meta: { exitCode: 100 } },
    });
    expect(await call('mutate', 'tasks.update', { taskId: 'T1', priority: 'medium' })).toMatchObject({
      isError: false,
      envelope: { _meta: { exitCode: 102 } },
    });
    expect(await call('query', 'tasks.shwo', {})).toMatchObject({
      isError: true,
      envelope: { error: { details: { suggestions: expect.arrayContaining(['tasks.show']) } } },
    });
    const wrong = await call('query', 'tasks.add', { title: 'x' });
    expect(wrong).toMatchObject({
      isError: true,
      envelope: {
        error: { code: 'E_INVALID_INPUT', call: { tool: 'cleo_mutate', domain: 'tasks', operation: 'add', params: { title: 'x' } } },
      },
    });
    expect(await call('query', 'tasks.exists', { taskId: 'T002' })).toMatchObject({ envelope: { exists: false } });
    for (const [args, problem] of [
      [{}, 'operation is required'],
      [{ domain: 'tasks' }, 'operation is required'],
      [{ domain: 'tasks', operation: 5 }, 'operation is required'],
      [{ domain: 'tasks', operation: 'show', odd: 'T1' }, 'taskId is required'],
      [{ domain: 'tasks', operation: 'show', params: [] }, 'params must be an object'],
      [{ domain: 'tasks', operation: 'show', params: '{"taskId":' }, 'params must be an object'],
    ] as const) {
      const { structuredContent, isError } = await client.callTool({ name: 'cleo_query', arguments: args as Record<string, unknown> });
      expect([isError, structuredContent]).toMatchObject([
        true,
        { success: false, error: { code: 'E_INVALID_INPUT', message: expect.stringContaining(problem) } },
      ]);
    }
    const spread = { domain: 'tasks', operation: 'tasks.get', taskId: 'T1', wait_for_previous: true, odd: 1 };
    expect((await client.callTool({ name: 'cleo_query', arguments: spread })).structuredContent).toMatchObject({
      _meta: { warnings: ['ignored "odd": parameters go into params'] },
      task: { id: 'T001' },
    });
    await expect(client.callTool({ name: 'cleo_delete', arguments: {} })).rejects.toThrow(/not found/);
    expect(await call('query', 'tasks.show', { taskId: 'T1' })).toMatchObject({ isError: false });
  });

  test('the same idempotency key has one effect', async () => {
    const { call } = await connectClient(await openApp(), revision);
    const first = await call('mutate', 'tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
    const again = await call('mutate', 'tasks.add', { title: 'Once' }, { idempotencyKey: 'k1' });
    expect(again.envelope).toMatchObject({ _meta: { replayed: true }, task: first.envelope.task });
  });

  test('serves tasks as resources and completes their ids', async () => {
    const { client } = await connectClient(await openApp({ tasks: ['T001: Write it', 'T002 done', 'T012: Test it'] }), revision);
    const { resources } = await client.listResources();
    expect(resources).toContainEqual({ uri: 'cleo://task/T001', name: 'task T001', title: 'Write it' });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('cleo://task/{id}');
    const { contents } = await client.readResource({ uri: 'cleo://task/T001' });
    expect(contents).toMatchObject([{ uri: 'cleo://task/T001', mimeType: 'application/json' }]);
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: 'T001', title: 'Write it' });
    for (const uri of ['cleo://task/T99', 'cleo://task/', 'cleo://nothing', 'cleo://task/%E0%A4%A', 'file:///etc/passwd'])
      await expect(client.readResource({ uri }), uri).rejects.toThrow();
    const complete = async (value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri: 'cleo://task/{id}' }, argument: { name: 'id', value } })).completion
        .values;
    expect(await complete('T01')).toEqual(['T012']);
    expect((await complete('')).sort()).toEqual(['T001', 'T012']);
    expect(await complete('parser')).toEqual([]);
  });

  test('every resource template can be read', async () => {
    const app = await openApp({ tasks: ['T001'] });
    const { client, call } = await connectClient(app, revision);
    const values: Record<string, string> = { task: 'T001', grade: 'session-1', injection: 'minimal' };
    const { resourceTemplates } = await client.listResourceTemplates();
    for (const { name, uriTemplate } of resourceTemplates) {
      const { contents } = await client.readResource({ uri: uriTemplate.replace(/\{.*\}/, values[name]!) });
      expect((contents[0] as { text: string }).text.length, name).toBeGreaterThan(1);
    }
    expect(resourceTemplates.length).toBe(['tasks.show', 'admin.inject', 'admin.grade'].filter(isOperation).length);
    expect(await call('query', 'tasks.show', { taskId: 'T1' })).toMatchObject({ isError: false });
  });

  test('notifies subscribers of changes of resources and of the list', async () => {
    const app = await openApp({ tasks: ['T001', 'T002'] });
    const { client, call } = await connectClient(app, revision);
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'));
    if (revision === '2026-07-28') await client.listen({ resourceSubscriptions: ['cleo://task/T001'], resourcesListChanged: true });
    else await client.subscribeResource({ uri: 'cleo://task/T001' });
    // The log is followed from now on.
    await sleep(200);
    await call('mutate', 'tasks.update', { taskId: 'T2', notes: 'of no interest' });
    await expect.poll(() => told).toEqual(['list']);
    await call('mutate', 'tasks.update', { taskId: 'T1', notes: 'seen' });
    await call('mutate', 'tasks.add', { title: 'Maybe', dryRun: true });
    await call('query', 'tasks.show', { taskId: 'T1' });
    await expect.poll(() => [...told].sort()).toEqual(['cleo://task/T001', 'list', 'list']);
    // Another process writes.
    await app.call('tasks.update', { taskId: 'T1', notes: 'seen again' });
    await expect.poll(() => [...told].sort()).toEqual(['cleo://task/T001', 'cleo://task/T001', 'list', 'list', 'list']);
  });

  test('prompts contain only valid calls and complete their arguments', async () => {
    const { client } = await connectClient(await openApp({ tasks: ['T001 epic', 'T002 in T001'] }), revision);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['start-session', 'spawn-task', 'plan-epic']);
    const given = { 'start-session': {}, 'spawn-task': { task: 'T002' }, 'plan-epic': { goal: 'Parse everything', epic: 'T001' } };
    for (const [name, args] of Object.entries(given)) {
      const { messages } = await client.getPrompt({ name, arguments: args as Record<string, string> });
      const text = (messages[0]!.content as { text: string }).text;
      expect(findOperationNames(text).filter((operation) => !isOperation(operation))).toEqual([]);
      const calls = [...text.matchAll(/^- cleo_(query|mutate) (\{.*\}): /gm)];
      expect(calls.length).toBeGreaterThan(1);
      for (const [, gateway, json = ''] of calls) {
        const { domain, operation, params } = JSON.parse(json);
        const definition = await registry.entries.find((entry) => entry.name === `${domain}.${operation}`)!.load();
        expect(definition.kind === 'query' ? 'query' : 'mutate').toBe(gateway);
        const { safeParse } = await import('valibot');
        expect(safeParse(definition.params, params), json).toMatchObject({ success: true });
      }
    }
    const { messages } = await client.getPrompt({ name: 'spawn-task', arguments: { task: 'T002' } });
    expect(messages[1]).toMatchObject({ content: { type: 'resource', resource: { uri: 'cleo://task/T002' } } });
    await expect(client.getPrompt({ name: 'spawn-task', arguments: {} })).rejects.toThrow(/task/);
    await expect(client.getPrompt({ name: 'spawn-task', arguments: { task: 'T99' } })).rejects.toThrow(/T99|T099/);
    await expect(client.getPrompt({ name: 'sing' })).rejects.toThrow(/sing/);
    const complete = async (name: string, argument: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } })).completion.values;
    expect(await complete('start-session', 'scope', 'e')).toEqual(['epic:T001']);
    expect(await complete('spawn-task', 'task', 'T2')).toEqual(['T002']);
    expect(await complete('plan-epic', 'goal', 'x')).toEqual([]);
  });

  test('answers two hundred concurrent calls', async () => {
    const { call } = await connectClient(await openApp({ tasks: ['T001'] }), revision);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        i % 4 === 0 ? call('mutate', 'tasks.add', { title: `Task ${i}` }) : call('query', 'tasks.show', { taskId: 'T1' }),
      ),
    );
    expect(answers.filter(({ isError }) => isError)).toEqual([]);
    const ids = answers.flatMap(({ envelope }) => envelope.data?.created ?? []);
    expect(new Set(ids).size).toBe(50);
  });
});

test('the instructions are short and name only existing operations', () => {
  expect(Buffer.byteLength(instructions)).toBeLessThan(1000);
  expect(findOperationNames(instructions).filter((name) => !isOperation(name))).toEqual([]);
});

test('a server that no known client started is its parent process; a named one keeps its name', async () => {
  const app = await openApp();
  const { CLEO_AGENT_ID: _, ...env } = app.env;
  const place = { root: app.root, env };
  const [one, two, named] = [
    await connectClient(place),
    await connectClient(place),
    await connectClient({ ...place, env: { ...env, CLEO_AGENT_ID: 'me' } }),
  ];
  for (const { call } of [one, two, named]) await call('mutate', 'tasks.add', { title: 'Whose' });
  const agents = (await app.store.read((store) => store.audit.list({}, { limit: 3, offset: 0 }))).map(({ agent }) => agent);
  expect(agents).toEqual(['me', expect.stringMatching(/^mcp-\d+-\d+$/), expect.stringMatching(/^mcp-\d+-\d+$/)]);
  expect(agents[1]).toBe(agents[2]);
});

test('a server that was started before its project works once it exists', async () => {
  const app = await openApp();
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const root = mkdtempSync(`${tmpdir()}/cleo-mcp-`);
  const { call } = await connectClient({ root, env: { CLEO_HOME: app.env.CLEO_HOME! } });
  expect(await call('query', 'tasks.find', { query: 'x' })).toMatchObject({ isError: true, envelope: { error: { exitCode: 8 } } });
  expect(await call('mutate', 'admin.init')).toMatchObject({ isError: false });
  expect(await call('mutate', 'tasks.add', { title: 'First' })).toMatchObject({ envelope: { task: { id: 'T001' } } });
  rmSync(root, { recursive: true, force: true });
});
