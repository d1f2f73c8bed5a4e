import { expect, test } from 'vitest';
import type { RegistryEntry } from '#core/define.ts';
import { registry } from '#core/index.generated.ts';
import { synonyms } from '#core/synonyms.generated.ts';
import { findCommand } from './arguments.ts';
import { findMisspelling } from './misspelling.ts';
import { explainUnknownCommand, resolveCommand } from './unknown-command.ts';

const entry = (name: string, commands: string[], more: Partial<RegistryEntry> = {}): RegistryEntry => ({
  name,
  commands,
  aliases: [],
  kind: 'query',
  tier: 0,
  load: () => Promise.reject(new Error('not needed')),
  ...more,
});
const entries = [
  entry('tasks.show', ['show']),
  entry('tasks.list', ['list']),
  entry('tasks.complete', ['complete', 'done'], { aliases: ['tasks.done'] }),
  entry('tasks.next', ['next']),
  entry('tasks.claim-next', ['next'], { select: 'claim' }),
  entry('admin.grade', ['grade']),
  entry('admin.grade.list', ['grade'], { select: 'list', selectedBy: ['trend'], isDefault: true }),
  entry('tasks.context', ['focus', 'context-pack']),
  entry('tasks.start', ['start', 'focus set']),
  entry('tasks.current', ['focus show']),
  entry('tasks.relates.add', ['relates add']),
  entry('tasks.relates.list', ['relates list']),
];
const find = (...argv: string[]) => {
  const found = findCommand(entries, argv, findMisspelling);
  if ('entry' in found) return [found.entry.name, ...found.rest];
  if ('unknown' in found) {
    const { message, fix, exitCode } = explainUnknownCommand(entries, argv, []).error;
    return { message, fix, exit: exitCode };
  }
  return found;
};

test.each<[string[], string[]]>([
  [
    ['show', 'T1'],
    ['tasks.show', 'T1'],
  ],
  [
    ['done', 'T1'],
    ['tasks.complete', 'T1'],
  ],
  [
    ['focus', 'T1'],
    ['tasks.context', 'T1'],
  ],
  [
    ['focus', 'set', 'T1'],
    ['tasks.start', 'T1'],
  ],
  [['focus', 'show'], ['tasks.current']],
  [
    ['grade', 'session-1', '--min', '75'],
    ['admin.grade', 'session-1', '--min', '75'],
  ],
  [['grade'], ['admin.grade.list']],
  [
    ['grade', '--json', '--agent', 'ada'],
    ['admin.grade.list', '--json', '--agent', 'ada'],
  ],
  [
    ['grade', '--list'],
    ['admin.grade.list', '--list'],
  ],
  [
    ['grade', '--trend', '--limit', '5'],
    ['admin.grade.list', '--trend', '--limit', '5'],
  ],
  [
    ['grade', '--', '--trend'],
    ['admin.grade', '--', '--trend'],
  ],
  [
    ['grade', '--min', '75'],
    ['admin.grade', '--min', '75'],
  ],
  [
    ['relates', 'add', 'T1', 'T2'],
    ['tasks.relates.add', 'T1', 'T2'],
  ],
  [
    ['show', 'list'],
    ['tasks.show', 'list'],
  ],
])('finds %j', (argv, expected) => {
  expect(find(...argv)).toEqual(expected);
});

test.each<[string[], string[]]>([
  [
    ['--json', 'show', 'T1'],
    ['tasks.show', '--json', 'T1'],
  ],
  [
    ['--session', 'show', 'list'],
    ['tasks.list', '--session', 'show'],
  ],
  [
    ['--session=show', 'list'],
    ['tasks.list', '--session=show'],
  ],
  [
    ['relates', '--json', 'add', 'T1'],
    ['tasks.relates.add', '--json', 'T1'],
  ],
  [
    ['-q', 'list'],
    ['tasks.list', '-q'],
  ],
])('accepts global flags anywhere: %j', (argv, expected) => {
  expect(find(...argv)).toEqual(expected);
});

test.each<[string[], string]>([
  [['next'], 'tasks.next'],
  [['next', '--claim'], 'tasks.claim-next'],
  [['next', '--epic', 'T1', '--claim=true'], 'tasks.claim-next'],
  [['next', '--', '--claim'], 'tasks.next'],
])('selects by flag between operations that share a command: %j', (argv, name) => {
  expect((find(...argv) as string[])[0]).toBe(name);
});

test('treats the first word of several commands as a group', () => {
  expect(find('relates')).toEqual({ group: 'relates' });
  expect(find('relates', '--json')).toEqual({ group: 'relates' });
  expect(find('--session', 's1', 'relates')).toEqual({ group: 'relates' });
  expect(find('relates', '--reason', 'x')).toMatchObject({ fix: 'cleo help relates', exit: 2 });
});

test.each([[[]], [['--json']], [['--help']], [['--version']], [['--session', 's1']]])('finds no command in %j', (argv) => {
  expect(find(...argv)).toEqual({ nothing: true });
});

test.each<[string[], string, string]>([
  [['shwo', 'T1', '--json'], 'There is no operation "shwo"; did you mean show?', 'cleo show T1 --json'],
  [['--json', 'lst'], 'There is no operation "lst"; did you mean list?', 'cleo --json list'],
  [['relates', 'ad', 'T1', 'a b'], 'There is no operation "relates ad"; did you mean relates add?', "cleo relates add T1 'a b'"],
  [['relate', 'add', 'T1'], 'There is no operation "relate add"; did you mean relates add?', 'cleo relates add T1'],
  [['relates', 'frobnicate'], 'There is no operation "relates frobnicate"; did you mean relates add or relates list?', 'cleo help relates'],
  [['relats'], 'There is no operation "relats"; did you mean relates?', 'cleo help relates'],
  [['T1'], 'There is no operation "T1"; did you mean show?', 'cleo show T1'],
  [['T1', 'done'], 'There is no operation "T1"; did you mean done?', 'cleo done T1'],
  [['task', '5'], 'There is no operation "task"; did you mean show?', 'cleo show 5'],
  [['frobnicate', 'T1'], 'There is no operation "frobnicate"', 'cleo help'],
  [['constructor'], 'There is no operation "constructor"', 'cleo help'],
  [['__proto__'], 'There is no operation "__proto__"', 'cleo help'],
])('suggests a command for an unknown one: %j', (argv, message, fix) => {
  expect(find(...argv)).toEqual({ message, fix, exit: 2 });
});

test('names each command below a group once, although several operations share it', () => {
  expect(explainUnknownCommand(registry.entries, ['trace', 'events'], synonyms).error.message).toBe(
    'There is no operation "trace events"; did you mean trace export or trace list or trace output or trace query or trace repair or trace show or trace tail?',
  );
});

test.each([
  [['my', 'tasks'], 'cleo help'],
  [['ad', 'Fix crash'], "cleo add 'Fix crash'"],
])('a word of two letters is only corrected to what begins with it: %j', (argv, fix) => {
  expect(explainUnknownCommand(registry.entries, argv, synonyms).error).toMatchObject({ fix });
});

test.each<[string[], string]>([
  [['--jsno', 'show', 'T1'], 'cleo --json show T1'],
  [['--parent', 'T1', 'list'], 'cleo list --parent T1'],
  [['--parent', 'T1'], 'cleo help'],
  [['-x'], 'cleo help'],
  [['--', 'show', 'T1'], 'cleo show -- T1'],
])('rejects an option before the command: %j', (argv, fix) => {
  expect(find(...argv)).toMatchObject({ fix, exit: 2 });
});

test.each([
  ['focus sett T1', 'cleo focus set T1'],
  ['focus shwo', 'cleo focus show'],
  ['validate manifst', 'cleo validate manifest'],
  ['context chek', 'cleo context check'],
])('%s: recognizes a typo of a subcommand', (line, fix) => {
  expect(findCommand(registry.entries, line.split(' '), findMisspelling)).toEqual({ unknown: true });
  expect(explainUnknownCommand(registry.entries, line.split(' '), synonyms)).toMatchObject({ error: { exitCode: 2, fix } });
});

test.each([
  ['focus T1', 'tasks.context'],
  ['focus', 'tasks.context'],
  ['focus set T1', 'tasks.start'],
  ['focus show', 'tasks.current'],
  ['focus clear', 'tasks.stop'],
  ['find show', 'tasks.find'],
  ['research parsers', 'research.list'],
])('%s is %s', (line, name) => {
  expect(findCommand(registry.entries, line.split(' '), findMisspelling)).toMatchObject({ entry: { name } });
});

test.each<[string, string, string[]]>([
  ['search task', 'tasks.find', ['task']],
  ['search tasks --json', 'tasks.find', ['tasks', '--json']],
  ['search task parser', 'tasks.find', ['parser']],
  ['grep parser', 'tasks.find', ['parser']],
  ['get task T1', 'tasks.show', ['T1']],
  ['new task Write', 'tasks.add', ['Write']],
  ['new task', 'tasks.add', []],
  ['mv T3 T1', 'tasks.update', ['T3', 'T1']],
])('%s means %s with %j', (line, operation, rest) => {
  expect(resolveCommand(registry, line.split(' '), synonyms)).toMatchObject({ operation, rest });
});
