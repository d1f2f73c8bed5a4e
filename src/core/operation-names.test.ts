import { expect, test } from 'vitest';
import { registry } from './index.generated.ts';
import { resolveName, suggestOperations } from './operation-names.ts';
import { synonyms } from './synonyms.generated.ts';

test.each<[string, string | undefined]>([
  ['tasks.create', 'tasks.add'],
  ['create', 'tasks.add'],
  ['add', 'tasks.add'],
  ['task.add', 'tasks.add'],
  ['tasks/add', 'tasks.add'],
  ['tasks:add', 'tasks.add'],
  ['tasks add', 'tasks.add'],
  ['cleo tasks add', 'tasks.add'],
  ['create_issue', 'tasks.add'],
  ['createTask', 'tasks.add'],
  ['tasks.create_task', 'tasks.add'],
  ['tasks.addBatch', 'tasks.add-batch'],
  ['tasks.add_batch', 'tasks.add-batch'],
  ['bulk_create', 'tasks.add-batch'],
  ['tasks.get', 'tasks.show'],
  ['list_my_issues', 'tasks.list'],
  ['search_issues', 'tasks.find'],
  ['Tasks.Show', 'tasks.show'],
  ['focus.set', 'tasks.start'],
  ['tasks.focus.set', 'tasks.start'],
  ['tasks.focus', 'tasks.context'],
  ['relates.add', 'tasks.relates.add'],
  ['sessions.list', 'session.list'],
  ['list_sessions', 'session.list'],
  ['start_session', 'session.start'],
  ['session.begin', 'session.start'],
  ['memory.search', 'memory.find'],
  ['document.get', 'docs.fetch'],
  ['orchestrator.ready', 'orchestrate.ready'],
  ['status', 'admin.dash'],
  ['tasks.status', 'admin.dash'],
  ['help', 'admin.help'],
  ['next', 'tasks.next'],
  ['waves', 'orchestrate.waves'],
  ['tasks.spawn', 'orchestrate.spawn'],
  ['tasks', undefined],
  ['', undefined],
  ['...', undefined],
  ['tasks.frobnicate', undefined],
  ['session.delete', undefined],
  ['saga.new', undefined],
  ['complete_all_tasks', undefined],
  ['constructor', undefined],
])('%j means %j', (name, operation) => {
  expect(resolveName(name, registry, synonyms)?.operation).toBe(operation);
});

test('a write that names the focus sets it', () => {
  expect(resolveName('tasks.focus', registry, synonyms, 'mutate')?.operation).toBe('tasks.start');
});

test.each<[string, 'query' | 'mutate' | undefined, string[]]>([
  ['tasks.shwo', undefined, ['tasks.show']],
  ['tasks.hist', undefined, ['tasks.history']],
  ['session.creat', undefined, []],
  ['shwo', undefined, ['tasks.show']],
  ['taks.show', undefined, ['tasks.show']],
  ['saga.new', undefined, ['saga.add']],
  ['research.find', undefined, []],
  ['tasks.delet', undefined, []],
  ['tasks.deletee', 'mutate', []],
  ['docs.remov', undefined, []],
  ['tasks.ad', 'query', []],
  ['tasks.ad', 'mutate', ['tasks.add']],
  ['tasks.updat', 'mutate', ['tasks.update']],
  ['tasks.display', 'mutate', []],
])('suggests for %s asked of %s: %j', (name, kind, expected) => {
  expect(suggestOperations(name, registry, synonyms, kind)).toEqual(expected);
});

test('never suggests a write for a word that sounds like a read, and never a deletion', () => {
  const kinds = new Map(registry.entries.map(({ name, kind }) => [name, kind]));
  const reads = [
    'tasks.shw',
    'tasks.lists',
    'tasks.fnd',
    'tasks.describe',
    'session.info',
    'memory.lookup',
    'docs.pritn',
    'tasks.exist',
    'tasks.count',
  ];
  for (const name of reads)
    for (const found of suggestOperations(name, registry, synonyms, 'mutate'))
      expect([name, found, kinds.get(found)]).toEqual([name, found, 'query']);
  for (const { name } of registry.entries)
    for (const typo of [name.slice(0, -1), `${name}x`])
      expect(suggestOperations(typo, registry, synonyms, 'mutate').join()).not.toMatch(/delete|remove|prune/);
});

test('no synonym is a command, a group of commands, a domain or an operation, and each means one operation', () => {
  const commands = registry.entries.flatMap((entry) => entry.commands);
  const taken = new Set([
    ...commands,
    ...commands.map((command) => command.split(' ', 1)[0]!),
    ...registry.entries.flatMap(({ name, aliases }) => [name, ...aliases, name.split('.', 1)[0]!]),
  ]);
  for (const { name, command } of synonyms) expect([command, taken.has(command), taken.has(name)]).toEqual([command, false, false]);
  expect(new Set(synonyms.map(({ command }) => command)).size).toBe(synonyms.length);
  expect(new Set(synonyms.map(({ name }) => name)).size).toBe(synonyms.length);
});
