import { expect, test } from 'vitest';
import { PrioritySchema, StatusSchema, TaskSizeSchema, TaskTypeSchema } from '../model/scalars.ts';
import { guessChoice, parseChoice, parseForeignPriority, parseForeignStatus } from './words.ts';

const fields = {
  status: StatusSchema.options,
  priority: PrioritySchema.options,
  size: TaskSizeSchema.options,
  type: TaskTypeSchema.options,
  sort: ['id', 'last-changed'],
};

test.each<[keyof typeof fields, string, string | undefined]>([
  ['status', 'pending', 'pending'],
  ['status', 'Pending', 'pending'],
  ['status', 'todo', 'pending'],
  ['status', 'To Do', 'pending'],
  ['status', 'Todo', 'pending'],
  ['status', 'in_progress', 'active'],
  ['status', 'in-progress', 'active'],
  ['status', 'In Progress', 'active'],
  ['status', 'doing', 'active'],
  ['status', 'completed', 'done'],
  ['status', 'closed', 'done'],
  ['status', 'open', 'pending'],
  ['status', 'cancelled', undefined],
  ['status', 'deferred', undefined],
  ['status', 'in review', undefined],
  ['status', 'constructor', undefined],
  ['status', '', undefined],
  ['status', `to${'-'.repeat(97)}do`, undefined],
  ['priority', 'P0', 'critical'],
  ['priority', 'urgent', 'critical'],
  ['priority', 'blocker', 'critical'],
  ['priority', 'p1', 'high'],
  ['priority', 'HIGH', 'high'],
  ['priority', 'P2', 'medium'],
  ['priority', 'normal', 'medium'],
  ['priority', 'P3', 'low'],
  ['priority', 'P4', 'low'],
  ['priority', 'P5', undefined],
  ['priority', '1', undefined],
  ['priority', 'a', undefined],
  ['size', 'S', 'small'],
  ['size', 'm', 'medium'],
  ['size', 'XL', 'large'],
  ['size', 'p1', undefined],
  ['type', 'Epic', 'epic'],
  ['type', 'sub-task', 'subtask'],
  ['type', 'story', 'task'],
  ['type', 'Epics', 'epic'],
  ['type', 'subtasks', 'subtask'],
  ['type', 'bug', undefined],
  ['sort', 'lastChanged', 'last-changed'],
  ['sort', 'todo', undefined],
])('parses the %s %j as %j', (field, word, value) => {
  expect(parseChoice(word, fields[field])).toBe(value);
});

test.each<[keyof typeof fields, string, string | undefined]>([
  ['priority', '0', 'critical'],
  ['priority', '1', 'high'],
  ['priority', 'B', 'high'],
  ['status', 'in_review', 'active'],
  ['status', 'cancelled', 'done'],
  ['type', 'bug', 'task'],
  ['type', 'mountain', undefined],
])('guesses that the %s %j of another tool means %j', (field, word, value) => {
  expect(guessChoice(word, fields[field])).toBe(value);
});

test('importers read the same words and the states of their tools', () => {
  expect(['open', 'in_progress', 'deferred', 'closed', 'hooked', '?'].map(parseForeignStatus)).toEqual([
    'pending',
    'active',
    'blocked',
    'done',
    'active',
    undefined,
  ]);
  expect([0, 4, 9, 'P1', 'H'].map(parseForeignPriority)).toEqual(['critical', 'low', undefined, 'high', 'high']);
});
