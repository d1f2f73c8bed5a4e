import { expect, test } from 'vitest';
import { matchParamName } from './param-names.ts';

const update = ['taskId', 'title', 'description', 'labels', 'addLabels', 'depends', 'addDepends', 'notes', 'status', 'parent', 'blockedBy'];

test.each<[string, string[], string | undefined]>([
  ['taskId', update, 'taskId'],
  ['task_id', update, 'taskId'],
  ['taskID', update, 'taskId'],
  ['task-id', update, 'taskId'],
  ['id', update, 'taskId'],
  ['issue_number', update, 'taskId'],
  ['id', ['query', 'id'], 'id'],
  ['task', ['task', 'content'], 'task'],
  ['taskId', ['task', 'content'], 'task'],
  ['parent_id', update, 'parent'],
  ['epicId', update, 'parent'],
  ['epicId', ['epic'], 'epic'],
  ['dependencies', update, 'depends'],
  ['depends_on', update, 'depends'],
  ['blocked_by', update, 'blockedBy'],
  ['blocked_by', ['title', 'depends'], 'depends'],
  ['body', update, 'description'],
  ['tags', update, 'labels'],
  ['tags', ['label'], 'label'],
  ['labels', ['label'], 'label'],
  ['label', update, 'labels'],
  ['add_label', update, 'addLabels'],
  ['comment', update, 'notes'],
  ['state', update, 'status'],
  ['maxResults', ['limit'], 'limit'],
  ['assignee', update, undefined],
  ['constructor', update, undefined],
  ['', update, undefined],
  ['s', update, undefined],
])('%j among %j is %j', (name, declared, meant) => {
  expect(matchParamName(name, declared)).toBe(meant);
});

test('an alias of the operation goes before the names of other tools', () => {
  expect(matchParamName('ID', ['taskId', 'old'], { id: 'old' })).toBe('old');
});
