import { constantFrom, assert as fcAssert, property, record, array as some, string as someString } from 'fast-check';
import { array, boolean, description, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { expect, test } from 'vitest';
import type { CliDefinition } from '#core/cli-definition.ts';
import { toArgv } from '#core/command-line.ts';
import { query } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { parseArguments } from './arguments.ts';
import { explainUnknownFlag } from './unknown-flag.ts';

const operation = (cli: Partial<CliDefinition> = {}) =>
  query({
    name: 'demo.make',
    summary: 'Make something',
    params: strictObject({
      title: pipe(string(), description('What')),
      description: optional(pipe(string(), description('About'))),
      parent: optional(TaskIdSchema),
      labels: optional(array(string())),
      acceptance: optional(pipe(array(string()), metadata({ separator: '|' }))),
      depth: optional(number()),
      sort: optional(picklist(['id', 'priority'])),
      cascade: optional(boolean()),
    }),
    result: strictObject({ task: string() }),
    errors: [],
    tier: 0,
    cli: { command: 'make', args: ['title'], short: { d: 'description' }, ...cli },
    example: { call: {} },
    run: async () => ({ task: '' }),
  });

const make = operation();
const params = (...argv: string[]) => {
  const { params, error: refusal } = parseArguments(make, argv);
  expect(refusal).toBeUndefined();
  return params;
};
const refusal = (argv: string[], of = make) => {
  const { message, fix, exitCode } = parseArguments(of, argv, explainUnknownFlag).error!;
  expect(exitCode).toBe(2);
  return { message, fix };
};

test.each<[string[], Record<string, unknown>]>([
  [['Title'], { title: 'Title' }],
  [['Title', '--description', 'About'], { title: 'Title', description: 'About' }],
  [['--description=About', 'Title'], { title: 'Title', description: 'About' }],
  [['Title', '-d', 'About'], { title: 'Title', description: 'About' }],
  [['--title', 'By name'], { title: 'By name' }],
  [['Title', '--description='], { title: 'Title', description: '' }],
  [['Title', '--description=a=b'], { title: 'Title', description: 'a=b' }],
])('%j gives %j', (argv, expected) => {
  expect(params(...argv)).toEqual(expected);
});

test.each<[string[], Record<string, unknown>]>([
  [['- item'], { title: '- item' }],
  [['-5 degrees'], { title: '-5 degrees' }],
  [['-5'], { title: '-5' }],
  [['--- a rule ---'], { title: '--- a rule ---' }],
  [['Title', '--description', '- first\n- second'], { title: 'Title', description: '- first\n- second' }],
  [['Title', '--description', '--unheard-of'], { title: 'Title', description: '--unheard-of' }],
  [['Title', '--description=--json'], { title: 'Title', description: '--json' }],
  [['--', '--description'], { title: '--description' }],
  [['Title', '--depth', '-3'], { title: 'Title', depth: -3 }],
])('accepts a value that begins with a dash: %j', (argv, expected) => {
  expect(params(...argv)).toEqual(expected);
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('accepts %s as a title', (title) => {
  expect(params(title)).toEqual({ title });
});

test.each<[string[], unknown]>([
  [
    ['--labels', 'a,b'],
    ['a', 'b'],
  ],
  [
    ['--labels', 'a, b ,'],
    ['a', 'b'],
  ],
  [
    ['--labels', 'a', '--labels', 'b,c'],
    ['a', 'b', 'c'],
  ],
  [['--labels', ''], []],
  [['--labels='], []],
])('collects the items of a list: %j', (argv, labels) => {
  expect(params(...argv)).toEqual({ labels });
});

test('splits a list at its separator', () => {
  expect(params('--acceptance', 'one, two|three')).toEqual({ acceptance: ['one, two', 'three'] });
});

test('gives all remaining words to a last argument that is a list', () => {
  const many = operation({ args: ['title', 'labels'] });
  expect(parseArguments(many, ['Title', 'a', 'b,c', 'd']).params).toEqual({ title: 'Title', labels: ['a', 'b', 'c', 'd'] });
});

test('joins the remaining words of a variadic argument', () => {
  const joined = operation({ variadic: true });
  expect(parseArguments(joined, ['relates', 'add']).params).toEqual({ title: 'relates add' });
});

test.each<[string[], unknown]>([
  [['--cascade'], true],
  [['--cascade=true'], true],
  [['--cascade=false'], false],
  [['--no-cascade'], false],
])('sets a switch: %j', (argv, cascade) => {
  expect(params(...argv)).toEqual({ cascade });
});

test.each<[string, unknown]>([
  ['3', 3],
  ['2.5', 2.5],
  ['three', 'three'],
  ['1e3', '1e3'],
])('converts numbers without validating them: %s', (text, depth) => {
  expect(params('--depth', text)).toEqual({ depth });
});

test('separates global flags from parameters', () => {
  const { params, globals } = parseArguments(make, [
    '--json',
    'T',
    '-q',
    '--fields',
    'id,title',
    '--session=s1',
    '--agent',
    'a',
    '--idempotency-key',
    'k',
  ]);
  expect(params).toEqual({ title: 'T' });
  expect(globals).toEqual({ json: true, quiet: true, fields: 'id,title', session: 's1', agent: 'a', idempotencyKey: 'k' });
});

test('returns global flags even if the rest is invalid', () => {
  expect(parseArguments(make, ['a', 'b', '--json'])).toMatchObject({ globals: { json: true }, error: { exitCode: 2 } });
});

test.each<[string[], string, string]>([
  [['T', '--lables', 'a b'], 'make has no option "--lables"; did you mean --labels?', "cleo make T --labels 'a b'"],
  [['T', '--lables=a', '--cascade'], 'make has no option "--lables"; did you mean --labels?', 'cleo make T --labels=a --cascade'],
  [['T', '--jsno'], 'make has no option "--jsno"; did you mean --json?', 'cleo make T --json'],
  [['T', '--entirely-else', 'x'], 'make has no option "--entirely-else"', 'cleo help make'],
  [['T', '-x'], 'make has no option "-x"', 'cleo help make'],
])('suggests the nearest option for an unknown one: %j', (argv, message, fix) => {
  expect(refusal(argv)).toEqual({ message, fix });
});

test.each<[string[], string]>([
  [['T', '--description'], '--description needs a value'],
  [['T', '--description', '--parent', 'T1'], '--description needs a value; --description=--parent if that is it'],
  [['T', '--session'], '--session needs a value'],
  [['T', '--cascade=maybe'], '--cascade takes no value'],
  [['T', '--description', 'a', '-d', 'b'], '-d is given twice'],
  [['T', '--agent', 'a', '--agent', 'b'], '--agent is given twice'],
])('rejects a misused flag: %j', (argv, message) => {
  expect(refusal(argv)).toEqual({ message, fix: 'cleo help make' });
});

test.each<[string[], string[], string]>([
  [['title'], ['Write', 'the', 'parser', '--labels', 'a'], "cleo make 'Write the parser' --labels a"],
  [['parent'], ['T1', 'T2'], 'cleo make T1'],
  [['sort'], ['id', 'priority'], 'cleo make id'],
  [[], ['stray'], 'cleo help make'],
])('rejects too many arguments for %j: %j', (args, argv, fix) => {
  expect(refusal(argv, operation({ args }))).toMatchObject({ fix });
});

test('passes the path of a parameter that is read from a file', () => {
  const reads = operation({ args: [], read: { labels: { flag: 'file', as: 'json' } } });
  expect(parseArguments(reads, ['--file', 'a,b.json'])).toMatchObject({
    params: {},
    sources: [{ name: 'labels', path: 'a,b.json', as: 'json' }],
  });
  expect(parseArguments(reads, ['--file', '-']).sources).toEqual([{ name: 'labels', path: '-', as: 'json' }]);
});

test('reads a parameter from standard input for a dash, unless it is given', () => {
  const pipes = operation({ stdinParam: { dash: 'title', fills: 'description' } });
  expect(parseArguments(pipes, ['-'])).toMatchObject({ params: {}, sources: [{ name: 'description', path: '-', as: 'bytes' }] });
  expect(parseArguments(pipes, ['-', '-d', 'x'])).toMatchObject({ params: { title: '-', description: 'x' }, sources: [] });
  expect(parseArguments(pipes, ['a.md'])).toMatchObject({ params: { title: 'a.md' }, sources: [] });
});

test('does not pass the selecting flag as a parameter', () => {
  expect(parseArguments(operation({ select: 'claim' }), ['T', '--claim'])).toMatchObject({ params: { title: 'T' } });
});

test('parses a formatted command line back to the same call', () => {
  const text = someString({ unit: 'grapheme' });
  const word = text.filter((item) => item.trim() === item && item !== '' && !/[,|]/.test(item));
  const edgy = constantFrom('-', '--', '-d', '--json', '--description', '--no-cascade', '-- x', '--labels=a', '=', '');
  const call = record(
    {
      title: some(text, { minLength: 1, maxLength: 1 }).map(([item]) => item!),
      description: text.chain((item) => constantFrom(item, '--json', '-', '--', '-d', '--title', `--${item}`)),
      labels: some(word, { maxLength: 3 }),
      depth: constantFrom(0, -1, 7, 2.5),
      cascade: constantFrom(true, false),
    },
    { requiredKeys: ['title'] },
  );
  fcAssert(
    property(call, edgy, (params, title) => {
      for (const given of [params, { ...params, title }])
        expect(parseArguments(make, toArgv(make, given).argv.slice(1)).params).toEqual(given);
    }),
    { numRuns: 500 },
  );
});
