import { expect, test } from 'vitest';
import { describeParams } from '#core/command-line.ts';
import { exitCodes } from '#core/errors/exit-codes.ts';
import { registry } from '#core/index.generated.ts';
import { openApp } from '../../../test/app.ts';

const getName = (entry: (typeof registry.entries)[number]) => entry.name;
const listNames = (help: { query?: object; mutate?: object }) =>
  [...Object.keys(help.query ?? {}), ...Object.keys(help.mutate ?? {})].sort();

test('shows domains and everyday operations with their parameters', async () => {
  const { call, cli } = await openApp();
  const { help } = await call('admin.help');
  const everyday = registry.entries.filter((entry) => entry.tier === 0);
  const signatures: string[] = [...help.query, ...help.mutate];
  expect(signatures.map((line) => line.split(' ', 1)[0]).sort()).toEqual(everyday.map(({ name }) => name).sort());
  expect(help.domains).toMatchObject({ tasks: expect.any(Number), admin: expect.any(Number) });
  for (const { name, load } of everyday) {
    const line = signatures.find((each) => each.startsWith(`${name} {`)) ?? '';
    const shapes = describeParams((await load()).params).filter(({ isRare }) => !isRare);
    expect(line.match(/\w+(?=[?[\]]*[,:}])/g) ?? [], name).toEqual(expect.arrayContaining(shapes.map((shape) => shape.name)));
  }
  expect(help.mutate.find((line: string) => line.startsWith('tasks.add '))).toMatch(
    /^tasks\.add \{title, description\?, parent\?, type\?: saga\|epic\|task\|subtask, depends\?\[\], /,
  );
  expect(help.query).toContain('tasks.show {taskId}');
  expect((await cli('cleo help --human')).out).toContain('Show a task with all its fields');
});

/** The operations of an ordinary day. */
const learnt = [
  ...['session.list', 'session.start', 'session.end', 'tasks.add', 'tasks.find', 'tasks.show', 'tasks.list', 'tasks.exists'],
  ...['tasks.start', 'tasks.complete', 'tasks.next', 'tasks.update', 'verify.gate', 'memory.observe'],
];

test('teaches 14 everyday operations in one answer of less than 2,580 bytes', async () => {
  const { call } = await openApp();
  const { help } = await call('admin.help');
  expect([...help.query, ...help.mutate].map((line: string) => line.split(' ', 1)[0])).toEqual(expect.arrayContaining(learnt));
  // An MCP client reads the answer without the rest of the envelope. With the listing of the tools it has to stay below 5,000.
  expect(Buffer.byteLength(JSON.stringify({ help }))).toBeLessThan(2580);
});

test.each([0, 1, 2])('tier %i includes the tiers below', async (tier) => {
  const { call } = await openApp();
  expect(listNames((await call('admin.help', { tier })).help)).toEqual(
    registry.entries
      .filter((entry) => entry.tier <= tier)
      .map(getName)
      .sort(),
  );
});

test('lists a domain by gateway', async () => {
  const { call } = await openApp();
  const { help } = await call('admin.help', { domain: 'tasks' });
  expect(listNames(help)).toEqual(
    registry.entries
      .map(getName)
      .filter((name) => name.startsWith('tasks.'))
      .sort(),
  );
  expect(help.query['tasks.show']).toBe('Show a task with all its fields');
  expect(help.mutate).toHaveProperty('tasks.add');
});

test('shows parameter aliases, and errors by exit code', async () => {
  const { call, cli } = await openApp();
  const { help } = await call('admin.help', { operation: 'session.start' });
  expect(help.also).toEqual({ autoStart: 'autoFocus' });
  const codes = help.errors.map(({ exitCode }: { exitCode: number }) => exitCode);
  expect(codes.length).toBeGreaterThan(5);
  expect(codes).toEqual([...codes].sort((a, b) => a - b));
  expect((await cli('cleo help session start --human')).out).toContain('JSON also accepts autoStart for autoFocus.');
});

test('describes one operation with a JSON Schema', async () => {
  const { call } = await openApp();
  const { help } = await call('admin.help', { operation: 'tasks.add' });
  expect(help).toMatchObject({
    operation: 'tasks.add',
    gateway: 'mutate',
    usage: 'cleo add <title> [options]',
    params: {
      type: 'object',
      required: ['title'],
      additionalProperties: false,
      properties: {
        title: { type: 'string', maxLength: 200, description: expect.stringContaining('What to do') },
        parent: { type: 'string', pattern: expect.any(String), description: 'Parent task, epic or saga' },
        depends: { type: 'array', items: { type: 'string', pattern: expect.any(String) } },
        priority: { enum: ['critical', 'high', 'medium', 'low'] },
      },
    },
    results: ['task'],
    example: { command: expect.stringMatching(/^cleo add '/) },
  });
  expect(help.errors).toContainEqual({ code: 'E_SIBLING_LIMIT', exitCode: 12 });
});

test.each(registry.entries.map((entry) => [entry.name, entry]))('describes %s', async (name, entry) => {
  const { call } = await openApp();
  const { help } = await call('admin.help', { operation: name });
  const { params } = await entry.load();
  expect(Object.keys(help.params.properties)).toEqual(Object.keys(params.entries));
  for (const [parameter, schema] of Object.entries(help.params.properties as Record<string, object>)) {
    const keys = Object.keys(schema);
    expect(
      keys.some((key) => ['type', 'enum', 'anyOf', 'const'].includes(key)),
      `${parameter} has no type`,
    ).toBe(true);
    // Metadata of the command line is not part of the schema.
    expect(keys.filter((key) => ['value', 'separator', 'choices', 'jsonSchema'].includes(key))).toEqual([]);
  }
});

test.each([
  ['show', 'tasks.show'],
  ['done', 'tasks.complete'],
  ['focus set', 'tasks.start'],
  ['next', 'tasks.next'],
])('finds the command %s as %s', async (words, operation) => {
  const { call } = await openApp();
  expect(await call('admin.help', { operation: words })).toMatchObject({ help: { operation } });
});

test('accepts the domain and the operation separately', async () => {
  const { call } = await openApp();
  expect(await call('admin.help', { domain: 'tasks', operation: 'show' })).toMatchObject({ help: { operation: 'tasks.show' } });
});

test('lists other operations of the same command', async () => {
  const { call } = await openApp();
  const shared = registry.entries.filter((entry) => entry.select);
  for (const entry of shared)
    expect((await call('admin.help', { operation: entry.commands[0] })).help.seeAlso, entry.name).toContain(entry.name);
});

test('lists all commands with the same first word', async () => {
  const { call } = await openApp();
  expect(listNames((await call('admin.help', { operation: 'criteria' })).help)).toContain('tasks.criteria.check');
});

test('lists all exit codes', async () => {
  const { call } = await openApp();
  const { help } = await call('admin.help', { operation: 'exit-codes' });
  expect(help).toMatchObject({ exits: exitCodes });
  const find = (code: number) => help.exits.find((row: { code: number }) => row.code === code);
  expect(find(4).errors).toEqual(['E_NOT_FOUND', 'E_BACKUP_NOT_FOUND']);
  expect(find(45).errors).toEqual(['E_GATE_DEPENDENCY', 'E_EVIDENCE_STALE']);
  expect([30, 36, 52, 53, 70].map((code) => /cleo [a-z ]+/.exec(find(code).recovery)?.[0].trim())).toEqual([
    'cleo session list',
    'cleo session start',
    'cleo safestop',
    'cleo safestop at once',
    'cleo nexus init',
  ]);
});

test('lists the exit codes of skills', async () => {
  const { call, cli } = await openApp();
  const { help } = await call('admin.help', { operation: 'assess.compare' });
  expect(help).toMatchObject({ exitNamespace: 'skill' });
  expect(help).not.toHaveProperty('errors');
  expect((await cli(['help', 'assess', 'compare', '--human'])).out).toContain('Exit codes of skills: cleo help skill-exit-codes');
  const { skillExits } = (await call('admin.help', { operation: 'skill-exit-codes' })).help;
  expect(skillExits).toContainEqual({
    ...{ codes: '75', name: 'temp_fail', class: 'temporary', status: 'failure', isRetried: true, action: 'retry_later' },
  });
  expect((await cli(['help', 'skill-exit-codes', '--human'])).out).toContain(' 66  no_input');
});

test.each([
  [{ operation: 'tasks.shwo' }, 'cleo help tasks.show'],
  [{ operation: 'exit-code' }, 'cleo help exit-codes'],
  [{ domain: 'task' }, 'cleo help tasks'],
  [{ operation: 'frobnicate' }, 'cleo help'],
])('rejects %j and suggests the nearest name', async (params, fix) => {
  const { call } = await openApp();
  expect(await call('admin.help', params)).toMatchObject({ error: { code: 'E_INVALID_OPERATION', exitCode: 2, fix } });
});

test.each([[{ tier: 3 }], [{ tier: -1 }], [{ tier: 1.5 }]])('rejects %j as a tier', async (params) => {
  const { call } = await openApp();
  expect(await call('admin.help', params)).toMatchObject({ error: { code: 'E_VALIDATION_TIER', exitCode: 6 } });
});
