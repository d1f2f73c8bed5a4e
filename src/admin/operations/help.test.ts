import { expect, test } from 'vitest';
import { exitCodes } from '#core/errors/exit-codes.ts';
import { registry } from '#core/index.generated.ts';
import { openApp } from '../../../test/app.ts';

const nameOf = (entry: (typeof registry.entries)[number]) => entry.name;
const names = (help: { query?: object; mutate?: object }) => [...Object.keys(help.query ?? {}), ...Object.keys(help.mutate ?? {})].sort();

test('without a question: the domains and the operations of tier 0, in under 3,000 bytes', async () => {
  const { call } = await openApp();
  const answer = await call('admin.help');
  expect(names(answer.help)).toEqual(
    registry.entries
      .filter((entry) => entry.tier === 0)
      .map(nameOf)
      .sort(),
  );
  expect(answer.help.domains).toMatchObject({ tasks: expect.any(Number), admin: expect.any(Number) });
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(3000);
});

test.each([0, 1, 2])('tier %i holds the tiers below it', async (tier) => {
  const { call } = await openApp();
  expect(names((await call('admin.help', { tier })).help)).toEqual(
    registry.entries
      .filter((entry) => entry.tier <= tier)
      .map(nameOf)
      .sort(),
  );
});

test('a domain, by gateway', async () => {
  const { call } = await openApp();
  const { help } = await call('admin.help', { domain: 'tasks' });
  expect(names(help)).toEqual(
    registry.entries
      .map(nameOf)
      .filter((name) => name.startsWith('tasks.'))
      .sort(),
  );
  expect(help.query['tasks.show']).toBe('Show everything about one task');
  expect(help.mutate).toHaveProperty('tasks.add');
});

test('further names of a parameter, and refusals in the order of their exit codes', async () => {
  const { call, cli } = await openApp();
  const { help } = await call('admin.help', { operation: 'session.start' });
  expect(help.also).toEqual({ autoStart: 'autoFocus' });
  const codes = help.errors.map(({ exitCode }: { exitCode: number }) => exitCode);
  expect(codes.length).toBeGreaterThan(5);
  expect(codes).toEqual([...codes].sort((a, b) => a - b));
  expect((await cli('cleo help session start --human')).out).toContain('In JSON it also takes autoStart for autoFocus.');
});

test('one operation in full, with a schema that other programs read', async () => {
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
        title: { type: 'string', maxLength: 200, description: expect.stringContaining('What has to be done') },
        parent: { type: 'string', pattern: expect.any(String), description: 'Task, epic or saga it is part of' },
        depends: { type: 'array', items: { type: 'string', pattern: expect.any(String) } },
        priority: { enum: ['critical', 'high', 'medium', 'low'] },
      },
    },
    results: ['task'],
    example: { command: expect.stringMatching(/^cleo add '/) },
  });
  expect(help.errors).toContainEqual({ code: 'E_SIBLING_LIMIT', exitCode: 12 });
});

test.each(registry.entries.map((entry) => [entry.name, entry]))('%s can be explained', async (name, entry) => {
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
    // What our own command line reads from the metadata is none of theirs.
    expect(keys.filter((key) => ['value', 'separator', 'choices', 'jsonSchema'].includes(key))).toEqual([]);
  }
});

test.each([
  ['show', 'tasks.show'],
  ['done', 'tasks.complete'],
  ['focus set', 'tasks.start'],
  ['next', 'tasks.next'],
])('the words %s lead to %s', async (words, operation) => {
  const { call } = await openApp();
  expect(await call('admin.help', { operation: words })).toMatchObject({ help: { operation } });
});

test('a gateway and its operation may be named apart', async () => {
  const { call } = await openApp();
  expect(await call('admin.help', { domain: 'tasks', operation: 'show' })).toMatchObject({ help: { operation: 'tasks.show' } });
});

test('operations that share their words name each other', async () => {
  const { call } = await openApp();
  const shared = registry.entries.filter((entry) => entry.select);
  for (const entry of shared)
    expect((await call('admin.help', { operation: entry.commands[0] })).help.seeAlso, entry.name).toContain(entry.name);
});

test('the first word of several commands lists them', async () => {
  const { call } = await openApp();
  expect(names((await call('admin.help', { operation: 'criteria' })).help)).toContain('tasks.criteria.check');
});

test('every exit code, with what to do', async () => {
  const { call } = await openApp();
  expect(await call('admin.help', { operation: 'exit-codes' })).toMatchObject({ help: { exits: exitCodes } });
});

test('what runs skills has the exit codes of skills, and they are told', async () => {
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
])('%j is refused with the nearest', async (params, fix) => {
  const { call } = await openApp();
  expect(await call('admin.help', params)).toMatchObject({ error: { code: 'E_INVALID_OPERATION', exitCode: 2, fix } });
});

test.each([[{ tier: 3 }], [{ tier: -1 }], [{ tier: 1.5 }]])('%j is no tier', async (params) => {
  const { call } = await openApp();
  expect(await call('admin.help', params)).toMatchObject({ error: { code: 'E_VALIDATION_TIER', exitCode: 6 } });
});
