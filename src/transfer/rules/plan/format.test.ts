import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPlanTask, editPlanTask, planNoon } from '../../../../test/plan-tasks.ts';
import { splitConflict } from './conflict.ts';
import { toKeyElements, toNoteElements } from './elements.ts';
import { formatPlanFile } from './format.ts';
import { mergeRecords } from './merge.ts';
import { mergePlanFiles, resolveConflict } from './merge-files.ts';
import { parsePlanFile } from './parse.ts';
import { projectPlan } from './project.ts';

const base = createPlanTask('a1a1', 'u1', 'T001', {
  fields: { description: 'Two\nlines' },
  sets: { labels: toKeyElements(['api', 'ui']), notes: toNoteElements([{ at: '2026-11-16T12:00:00.000Z', by: 'me', text: 'A "note"' }]) },
});
const text = formatPlanFile(base);
const state = projectPlan([base]).states.get('task u1')!;
const edit = (replica: string, fields: { [field: string]: string }, sets = {}) =>
  editPlanTask(base, state, replica, planNoon + 1000, fields, sets);

test('a file has one field or element per line, the title first', () => {
  expect(text).toBe(`{
  "version": "1.0",
  "kind": "task",
  "uid": "u1",
  "origin": {"project": "p", "replica": "a1a1"},
  "created": {"id": "T001", "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"},
  "fields": {
    "title": [
      {"value": "Task u1", "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ],
    "creation": [
      {"value": {"at": "2026-11-16T12:00:00.000Z", "by": "agent"}, "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ],
    "description": [
      {"value": "Two\\nlines", "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ],
    "place": [
      {"value": {"type": "task"}, "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ],
    "priority": [
      {"value": "medium", "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ],
    "state": [
      {"value": {"status": "pending"}, "stamp": "2026-11-16T12:00:00.000Z.0000.a1a1"}
    ]
  },
  "sets": {
    "labels": [
      {"key": "api", "stamp": "2026-11-16T12:00:00.000Z.0001.a1a1"},
      {"key": "ui", "stamp": "2026-11-16T12:00:00.000Z.0002.a1a1"}
    ],
    "notes": [
      {"key": "${base.entries.find(({ field }) => field === 'notes')?.key}", "value": {"at": "2026-11-16T12:00:00.000Z", "by": "me", "text": "A \\"note\\""}, "stamp": "2026-11-16T12:00:00.000Z.0001.a1a1"}
    ]
  }
}
`);
});

test.each<[string, Record<string, string>, object, number]>([
  ['title', { title: 'New' }, {}, 2],
  ['label', {}, { labels: toKeyElements(['api', 'ui', 'db']) }, 3],
  ['status', { priority: 'high' }, {}, 2],
])('a change of the %s is a diff of a few lines', (_, fields, sets, lines) => {
  const [before, after] = [text.split('\n'), formatPlanFile(edit('a1a1', fields, sets)).split('\n')];
  const changed = [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))];
  expect(changed).toHaveLength(lines);
});

test.each<[string, string, number, string]>([
  ['not JSON', text.replace('"value": "medium",', '"value": medium,'), 21, 'broken'],
  ['a truncated file', text.slice(0, 300), 11, 'broken'],
  ['an empty file', '', 1, 'broken'],
  ['conflict markers', text.replace('    "place"', '<<<<<<< HEAD\n    "place"'), 17, 'conflict-markers'],
  ['a newer major version', text.replace('"1.0"', '"2.0"'), 2, 'newer-version'],
  ['an unknown kind', text.replace('"task"', '"thing"'), 3, 'broken'],
  ['a uid with a path', text.replace('"u1"', '"../u1"'), 4, 'broken'],
  ['a number of another kind', text.replace('"T001"', '"D-001"'), 6, 'broken'],
  ['a wrong status', text.replace('"pending"', '"lost"'), 24, 'broken'],
  ['a wrong stamp', text.replace('"key": "ui", "stamp": "2026', '"key": "ui", "stamp": "26'), 30, 'broken'],
  ['a missing title', text.replace(/ {4}"title": \[\n.*\n {4}\],\n/, ''), 7, 'broken'],
  ['NUL in a text', text.replace('"me"', '"m\\u0000"'), 33, 'broken'],
  ['a list', '[]', 1, 'broken'],
])('%s is reported with its line', (_, broken, line, kind) => {
  expect(parsePlanFile(broken)).toMatchObject({ problem: { kind, line } });
});

test('unknown parts of a newer minor version survive, and the version stays', () => {
  const newer = text
    .replace('"1.0"', '"1.7"')
    .replace(
      '    "creation": [',
      '    "color": [\n      {"value": "red", "stamp": "2026-11-16T13:00:00.000Z.0000.f0f0"}\n    ],\n    "creation": [',
    )
    .replace(/\n}\n$/, ',\n  "weather": {"sun": true}\n}\n');
  const parsed = parsePlanFile(newer);
  if (!('record' in parsed)) throw new Error(parsed.problem.message);
  expect(parsed.isCanonical).toBe(true);
  expect(formatPlanFile(mergeRecords(parsed.record, base))).toBe(newer);
});

test('parsing never throws', () => {
  const cut = fc.tuple(fc.nat(text.length), fc.nat(40), fc.string({ unit: 'binary', maxLength: 20 }));
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), fc.string(), (cuts, other) => {
      const broken = cuts.reduce((all, [at, length, insert]) => all.slice(0, at) + insert + all.slice(at + length), text);
      for (const one of [broken, other, `{"version": "1.0", "kind": "task", "uid": "u", ${other}`]) {
        const parsed = parsePlanFile(one);
        if ('record' in parsed) projectPlan([mergeRecords(parsed.record, base)]);
        else expect(parsed.problem.line).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
  expect(parsePlanFile('['.repeat(200_000))).toMatchObject({ problem: { kind: 'broken' } });
});

test('the merge driver merges by field, and takes the changed side of a file that is not a record', () => {
  const [ours, theirs] = [
    formatPlanFile(edit('a1a1', { title: 'Ours' })),
    formatPlanFile(edit('b2b2', { title: 'Theirs', priority: 'high' })),
  ];
  const merged = mergePlanFiles(text, ours, theirs);
  expect(merged).toEqual(mergePlanFiles(text, theirs, ours));
  const parsed = parsePlanFile((merged as { text: string }).text);
  expect(parsed).toMatchObject({ isCanonical: true });
  expect(mergePlanFiles(text, text, 'not a record')).toEqual({ text: 'not a record' });
  expect(mergePlanFiles(text, ours, 'broken')).toMatchObject({ side: 'theirs', problem: { kind: 'broken' } });
  const grade = (at: string) => JSON.stringify({ signature: 's', at });
  expect(mergePlanFiles('', grade('2026-01-02'), grade('2026-01-01'))).toEqual({ text: grade('2026-01-02') });
});

test('a file with conflict markers is resolved from its two sides and loses no text', () => {
  const line = (value: string, replica: string) => `      {"value": "${value}", "stamp": "2026-11-16T12:00:01.000Z.0000.${replica}"}`;
  const old = text.split('\n')[8]!;
  const conflict = (base = '') => `<<<<<<< HEAD\n${line('Ours', 'a1a1')}\n${base}=======\n${line('Theirs', 'b2b2')}\n>>>>>>> topic`;
  for (const style of ['', `||||||| base\n${old}\n`]) {
    const resolved = resolveConflict(text.replace(old, conflict(style)));
    const parsed = parsePlanFile((resolved as { text: string }).text);
    if (!('record' in parsed)) throw new Error(parsed.problem.message);
    const { fields, sets } = projectPlan([parsed.record]).states.get('task u1')!;
    expect(fields.title).toBe('Theirs');
    expect(JSON.stringify(sets.notes)).toContain('Ours');
  }
  expect(splitConflict('<<<<<<< HEAD\na\n')).toBeUndefined();
  expect(resolveConflict('<<<<<<< HEAD\na\n')).toMatchObject({ problem: { kind: 'conflict-markers' } });
});
