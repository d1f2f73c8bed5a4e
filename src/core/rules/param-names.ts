import { getOwn } from '#lib/collections.ts';
import { normalizeWord } from './words.ts';

/** Names that other tools use for a parameter. The first declared parameter of the list is meant. Keys are normalized and singular. */
const otherNames: Record<string, string[]> = {
  id: ['taskId', 'sessionId', 'runId'],
  task: ['taskId', 'title'],
  taskid: ['task'],
  tasknumber: ['taskId'],
  issue: ['taskId', 'tasks'],
  item: ['tasks'],
  issueid: ['taskId'],
  issuenumber: ['taskId'],
  number: ['taskId'],
  ticket: ['taskId'],
  ticketid: ['taskId'],
  key: ['taskId'],
  target: ['taskId'],
  root: ['taskId'],
  parentid: ['parent'],
  parenttask: ['parent'],
  parenttaskid: ['parent'],
  parentissue: ['parent'],
  under: ['parent'],
  in: ['parent'],
  within: ['parent'],
  subtaskof: ['parent'],
  childof: ['parent'],
  epic: ['parent'],
  epicid: ['parent', 'epic'],
  dependson: ['depends'],
  dependency: ['depends'],
  dependencie: ['depends'],
  dep: ['depends'],
  blockedby: ['depends'],
  prerequisite: ['depends'],
  adddependency: ['addDepends'],
  adddependencie: ['addDepends'],
  adddep: ['addDepends'],
  removedependency: ['removeDepends'],
  removedependencie: ['removeDepends'],
  removedep: ['removeDepends'],
  desc: ['description'],
  body: ['description', 'content'],
  detail: ['description'],
  name: ['title', 'query'],
  title: ['query'],
  summary: ['title'],
  subject: ['title'],
  duedate: ['due'],
  dueon: ['due'],
  dueby: ['due'],
  deadline: ['due'],
  assign: ['assignee'],
  assignto: ['assignee'],
  assignedto: ['assignee'],
  owner: ['assignee'],
  tag: ['labels', 'label'],
  addtag: ['addLabels'],
  removetag: ['removeLabels'],
  acceptancecriteria: ['acceptance'],
  criteria: ['acceptance'],
  criterion: ['acceptance'],
  ac: ['acceptance'],
  definitionofdone: ['acceptance'],
  dod: ['acceptance'],
  note: ['notes', 'note', 'content'],
  comment: ['notes', 'note'],
  annotation: ['notes'],
  state: ['status'],
  prio: ['priority'],
  importance: ['priority'],
  severity: ['priority'],
  kind: ['type'],
  issuetype: ['type'],
  tasktype: ['type'],
  effort: ['size'],
  q: ['query', 'term'],
  search: ['query', 'term'],
  searchterm: ['query', 'term'],
  keyword: ['query', 'term'],
  pattern: ['query', 'term'],
  match: ['query', 'term'],
  term: ['query'],
  text: ['query', 'content', 'notes', 'description'],
  max: ['limit'],
  maxresult: ['limit'],
  pagesize: ['limit'],
  perpage: ['limit'],
  count: ['limit'],
  skip: ['offset'],
  orderby: ['sort'],
  sortby: ['sort'],
  order: ['sort'],
  path: ['files'],
  filepath: ['files'],
  includearchived: ['all'],
  why: ['reason'],
};

const toSingular = (word: string): string => word.replace(/(?<=..)s$/, '');

/** Finds the declared parameter that a name means: another spelling (`task_id`, `taskID`), a plural or singular, an alias of the
 *  operation, or the name that other tools use. */
export function matchParamName(name: string, declared: readonly string[], aliases: Record<string, string> = {}): string | undefined {
  const key = normalizeWord(name);
  // Of a change, callers write `newStatus`.
  return matchKey(key, declared, aliases) ?? (/^new..../.test(key) ? matchKey(key.slice(3), declared, aliases) : undefined);
}

function matchKey(key: string, declared: readonly string[], aliases: Record<string, string>): string | undefined {
  const singular = toSingular(key);
  const alias = Object.keys(aliases).find((each) => toSingular(normalizeWord(each)) === singular);
  return (
    declared.find((each) => normalizeWord(each) === key) ??
    (alias && aliases[alias]) ??
    declared.find((each) => toSingular(normalizeWord(each)) === singular) ??
    getOwn(otherNames, singular)?.find((each) => declared.includes(each)) ??
    getOwn(otherNames, key)?.find((each) => declared.includes(each))
  );
}
