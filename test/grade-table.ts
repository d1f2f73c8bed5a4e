import type { LogLine } from './grade-log.ts';

export const start = 'm:session.start';
export const end = 'm:session.end';
export const goodLog = [start, 'q:session.list', 'q:admin.help', 'q:tasks.find', 'q:tasks.show'];
const createBatch = (created: string[], tasks: unknown, more: object = {}): LogLine => ({
  operation: 'tasks.add-batch',
  created,
  params: JSON.stringify({ tasks }),
  ...more,
});
const createAdd = (params: unknown, more: object = {}): LogLine => ({
  operation: 'tasks.add',
  created: ['T001'],
  params: JSON.stringify(params),
  ...more,
});
const digest = { length: 1200, sha256: 'ab'.repeat(32) };
const repeat = (n: number, line: LogLine): LogLine[] => Array(n).fill(line);

type GradeRow = [why: string, log: LogLine[], scores: string, evidence: string, flags: string];

const bare = 'none+ clean+';
const plain = 'never- end- help- mcp-';
const helped = 'never- end- mcp-';

/** Logs with the points of each dimension, the evidence and the flags by their names in `rubricTexts`. */
export const gradeTable: GradeRow[] = [
  ['an empty log', [], '0 0 0 0 0', '', 'empty-'],
  ['only grade calls', ['q:admin.grade', 'admin.grade.list'], '0 0 0 0 0', '', 'empty-'],
  ['a perfect session', [...goodLog, end], '20 20 20 20 20', 'list+ end+ ratio+:100 show+:1 clean+ help+:1 mcp+:4', ''],
  ['one call of any kind', ['admin.dash'], '0 10 20 20 0', bare, plain],

  // Session discipline
  ['session.list without a task', ['session.list'], '10 10 20 20 0', 'list+ none+ clean+', 'end- help- mcp-'],
  ['session.list before the first task', ['session.list', 'tasks.next'], '10 10 20 20 0', 'list+ none+ clean+', 'end- help- mcp-'],
  ['session.list after the first task', ['tasks.next', 'session.list'], '0 10 20 20 0', bare, 'late- end- help- mcp-'],
  [
    'session.list before and after',
    ['session.list', 'tasks.next', 'session.list'],
    '10 10 20 20 0',
    'list+ none+ clean+',
    'end- help- mcp-',
  ],
  ['a failed session.list counts', ['session.list !6', 'tasks.next'], '10 10 20 20 0', 'list+ none+ clean+', 'end- help- mcp-'],
  ['a failed task operation counts', ['tasks.complete !6', 'session.list'], '0 10 20 20 0', bare, 'late- end- help- mcp-'],
  ['an alias counts as its task operation', ['orchestrate.next', 'session.list'], '0 10 20 20 0', bare, 'late- end- help- mcp-'],
  ['another domain is not tasks', ['tasksmith.run', 'session.list'], '10 10 20 20 0', 'list+ none+ clean+', 'end- help- mcp-'],
  ['session.end called', [end], '10 10 20 20 0', 'end+ none+ clean+', 'never- help- mcp-'],
  ['session.end on the command line', ['session.end'], '10 10 20 20 0', 'end+ none+ clean+', 'never- help- mcp-'],
  ['ended twice', [end, 'tasks.next', end], '10 10 20 20 0', 'end+ none+ clean+', 'never- help- mcp-'],
  ['a failed session.end counts', ['session.end !39'], '10 10 20 20 0', 'end+ none+ clean+', 'never- help- mcp-'],

  // Discovery
  ['only find', ['tasks.find'], '0 15 20 20 0', 'ratio+:100 clean+', plain],
  ['find without a result', ['tasks.find =100'], '0 15 20 20 0', 'ratio+:100 clean+', plain],
  ['find by an alias', ['tasks.search'], '0 15 20 20 0', 'ratio+:100 clean+', plain],
  ['four of five, exactly at the limit', [...repeat(4, 'tasks.find'), 'tasks.list'], '0 15 20 20 0', 'ratio+:80 clean+', plain],
  ['five of six, rounded', [...repeat(5, 'tasks.find'), 'tasks.list'], '0 15 20 20 0', 'ratio+:83 clean+', plain],
  ['199 of 200, rounded up', [...repeat(199, 'tasks.find'), 'tasks.list'], '0 15 20 20 0', 'ratio+:100 clean+', plain],
  ['three of four', [...repeat(3, 'tasks.find'), 'tasks.list'], '0 11 20 20 0', 'clean+', 'never- end- lists-:1 help- mcp-'],
  [
    '79 of 100, just below the limit',
    [...repeat(79, 'tasks.find'), ...repeat(21, 'tasks.list')],
    '0 12 20 20 0',
    'clean+',
    'never- end- lists-:21 help- mcp-',
  ],
  ['half and half', ['tasks.find', 'tasks.list'], '0 8 20 20 0', 'clean+', 'never- end- lists-:1 help- mcp-'],
  ['one of three', ['tasks.find', ...repeat(2, 'tasks.list')], '0 5 20 20 0', 'clean+', 'never- end- lists-:2 help- mcp-'],
  ['one of thirty-one', ['tasks.find', ...repeat(30, 'tasks.list')], '0 0 20 20 0', 'clean+', 'never- end- lists-:30 help- mcp-'],
  ['only list', ['tasks.list'], '0 0 20 20 0', 'clean+', 'never- end- lists-:1 help- mcp-'],
  ['list and show', ['tasks.list', 'tasks.show'], '0 5 20 20 0', 'show+:1 clean+', 'never- end- lists-:1 help- mcp-'],
  ['show alone', ['tasks.show'], '0 15 20 20 0', 'none+ show+:1 clean+', plain],
  ['find and show', ['tasks.find', ...repeat(3, 'tasks.show')], '0 20 20 20 0', 'ratio+:100 show+:3 clean+', plain],

  // Hygiene
  ['an add with a description', ['tasks.add T001 d'], '0 10 20 20 0', 'none+ adds+:1 clean+', plain],
  ['an add by an alias', ['tasks.create T001'], '0 10 15 20 0', bare, 'never- end- bare-:T001 help- mcp-'],
  ['an add without a description', ['tasks.add T007'], '0 10 15 20 0', bare, 'never- end- bare-:T007 help- mcp-'],
  ['an empty description', ['tasks.add T001 d='], '0 10 15 20 0', bare, 'never- end- bare-:T001 help- mcp-'],
  ['a blank description', [createAdd({ title: 'A', description: ' \t\n ' })], '0 10 15 20 0', bare, 'never- end- bare-:T001 help- mcp-'],
  [
    'a description that is not a text',
    [createAdd({ title: 'A', description: null })],
    '0 10 15 20 0',
    bare,
    'never- end- bare-:T001 help- mcp-',
  ],
  ['a long description, stored as a hash', [createAdd({ title: 'A', description: digest })], '0 10 20 20 0', 'none+ adds+:1 clean+', plain],
  ['a redacted description', [createAdd({ title: 'A', description: '[redacted]' })], '0 10 20 20 0', 'none+ adds+:1 clean+', plain],
  ['one of two with a description', ['tasks.add T001 d', 'tasks.add T002'], '0 10 15 20 0', bare, 'never- end- bare-:T002 help- mcp-'],
  [
    'five without a description: at least 0, each flagged',
    [1, 2, 3, 4, 5].map((n) => `tasks.add T00${n}`),
    '0 10 0 20 0',
    bare,
    'never- end- bare-:T001 bare-:T002 bare-:T003 bare-:T004 bare-:T005 help- mcp-',
  ],
  ['a failed add costs nothing', ['tasks.add !6', 'tasks.add !10'], '0 10 20 20 0', bare, plain],
  ['a dry run creates nothing', [createAdd({ title: 'A', dryRun: true }, { created: [] })], '0 10 20 20 0', bare, plain],
  [
    'a subtask without a check of its parent',
    ['tasks.add T002 d p=T001'],
    '0 10 17 20 0',
    'none+ adds+:1 clean+',
    'never- end- parent- help- mcp-',
  ],
  [
    'two of them cost 3 points once',
    ['tasks.add T002 d p=T001', 'tasks.add T003 d p=T001'],
    '0 10 17 20 0',
    'none+ adds+:2 clean+',
    'never- end- parent- help- mcp-',
  ],
  ['a subtask after a check', ['tasks.exists', 'tasks.add T002 d p=T001'], '0 10 20 20 0', 'none+ parent+ adds+:1 clean+', plain],
  [
    'a check that came too late',
    ['tasks.add T002 d p=T001', 'tasks.exists'],
    '0 10 17 20 0',
    'none+ adds+:1 clean+',
    'never- end- parent- help- mcp-',
  ],
  [
    'the first without, the second with a check',
    ['tasks.add T002 d p=T001', 'tasks.exists', 'tasks.add T003 d p=T001'],
    '0 10 17 20 0',
    'none+ adds+:2 clean+',
    'never- end- parent- help- mcp-',
  ],
  ['no description and no check', ['tasks.add T002 p=T001'], '0 10 12 20 0', bare, 'never- end- bare-:T002 parent- help- mcp-'],
  [
    'four without a description and no check: at least 0',
    [...[1, 2, 3].map((n) => `tasks.add T00${n}`), 'tasks.add T004 p=T001'],
    '0 10 0 20 0',
    bare,
    'never- end- bare-:T001 bare-:T002 bare-:T003 bare-:T004 parent- help- mcp-',
  ],
  [
    'an empty parent is not a parent',
    [createAdd({ title: 'A', description: 'b', parent: '' })],
    '0 10 20 20 0',
    'none+ adds+:1 clean+',
    plain,
  ],
  ['a failed subtask needs no check', ['tasks.add !10 p=T009'], '0 10 20 20 0', bare, plain],
  [
    'a batch counts as one add per entry',
    [createBatch(['T001', 'T002', 'T003'], [{ title: 'A', description: 'a' }, { title: 'B' }, { title: 'C', description: ' ' }])],
    '0 10 10 20 0',
    bare,
    'never- end- bare-:T002 bare-:T003 help- mcp-',
  ],
  [
    'a batch with descriptions',
    [
      createBatch(
        ['T001', 'T002'],
        [
          { title: 'A', description: 'a' },
          { title: 'B', description: digest },
        ],
      ),
    ],
    '0 10 20 20 0',
    'none+ adds+:2 clean+',
    plain,
  ],
  [
    'a batch below an existing parent',
    [createBatch(['T002'], [{ title: 'A', description: 'a', parent: 'T001' }])],
    '0 10 17 20 0',
    'none+ adds+:1 clean+',
    'never- end- parent- help- mcp-',
  ],
  [
    'a batch with its own parents needs no check',
    [
      createBatch(
        ['T001', 'T002'],
        [
          { ref: 'top', title: 'A', description: 'a' },
          { title: 'B', description: 'b', parent: 'top' },
        ],
      ),
    ],
    '0 10 20 20 0',
    'none+ adds+:2 clean+',
    plain,
  ],
  ['a failed batch', [createBatch([], [{ title: 'A' }], { success: false, exitCode: 6 })], '0 10 20 20 0', bare, plain],

  // Errors
  ['not found, then find', ['tasks.show !4', 'tasks.find'], '0 20 20 20 0', 'ratio+:100 show+:1 found+ clean+', plain],
  ['not found, then exists', ['tasks.show !4', 'tasks.exists'], '0 15 20 20 0', 'none+ show+:1 found+ clean+', plain],
  [
    'a lookup in the fourth entry',
    ['tasks.show !4', ...repeat(3, 'admin.dash'), 'tasks.exists'],
    '0 15 20 20 0',
    'none+ show+:1 found+ clean+',
    plain,
  ],
  [
    'a lookup in the fifth entry is too late',
    ['tasks.show !4', ...repeat(4, 'admin.dash'), 'tasks.exists'],
    '0 15 20 15 0',
    'none+ show+:1',
    'never- end- lost-:tasks.show help- mcp-',
  ],
  ['nothing follows', ['tasks.show !4'], '0 15 20 15 0', 'none+ show+:1', 'never- end- lost-:tasks.show help- mcp-'],
  [
    'grade calls do not count',
    ['tasks.show !4', ...repeat(3, 'admin.dash'), 'admin.grade', 'tasks.exists'],
    '0 15 20 20 0',
    'none+ show+:1 found+ clean+',
    plain,
  ],
  ['a lookup without a result counts', ['tasks.show !4', 'tasks.find =100'], '0 20 20 20 0', 'ratio+:100 show+:1 found+ clean+', plain],
  ['list is not a lookup', ['tasks.show !4', 'tasks.list'], '0 5 20 15 0', 'show+:1', 'never- end- lists-:1 lost-:tasks.show help- mcp-'],
  [
    'one lookup for two errors',
    ['tasks.show !4', 'tasks.complete !4', 'tasks.find'],
    '0 20 20 20 0',
    'ratio+:100 show+:1 found+ found+ clean+',
    plain,
  ],
  [
    'one recovered, one not',
    ['tasks.show !4', 'tasks.find', 'tasks.delete !4'],
    '0 20 20 15 0',
    'ratio+:100 show+:1 found+',
    'never- end- lost-:tasks.delete help- mcp-',
  ],
  ['another thing, then a list of its domain', ['docs.show !4', 'docs.list'], '0 10 20 20 0', 'none+ found+ clean+', plain],
  ['another thing, then a find without a result', ['memory.fetch !4', 'memory.find =100'], '0 10 20 20 0', 'none+ found+ clean+', plain],
  [
    'another thing, then a search for the task it names',
    ['docs.attach !4', 'tasks.find'],
    '0 15 20 20 0',
    'ratio+:100 found+ clean+',
    plain,
  ],
  ['another thing, then the right one', ['release.show !4', 'release.create'], '0 10 20 20 0', 'none+ found+ clean+', plain],
  [
    'another thing, then a list of tasks',
    ['docs.show !4', 'tasks.list'],
    '0 0 20 15 0',
    '',
    'never- end- lists-:1 lost-:docs.show help- mcp-',
  ],
  [
    'another thing, then another error',
    ['docs.show !4', 'docs.show !6'],
    '0 10 20 15 0',
    'none+',
    'never- end- lost-:docs.show help- mcp-',
  ],
  [
    'a task, then a list of another domain',
    ['tasks.show !4', 'docs.list'],
    '0 15 20 15 0',
    'none+ show+:1',
    'never- end- lost-:tasks.show help- mcp-',
  ],
  ['another thing, then help', ['memory.store !4', 'admin.dash', 'admin.help'], '0 10 20 20 10', 'none+ found+ clean+ help+:1', helped],
  [
    'another thing, then help that fails',
    ['memory.store !4', 'admin.help !2'],
    '0 10 20 15 10',
    'none+ help+:1',
    'never- end- lost-:memory.store mcp-',
  ],
  ['a task, then help at once', ['tasks.show !4', 'admin.help'], '0 15 20 20 10', 'none+ show+:1 found+ clean+ help+:1', helped],
  [
    'a task, then help later',
    ['tasks.show !4', 'admin.dash', 'admin.help'],
    '0 15 20 15 10',
    'none+ show+:1 help+:1',
    'never- end- lost-:tasks.show mcp-',
  ],
  ['a failed lookup is recovered by the next', ['tasks.find !4', 'tasks.find'], '0 15 20 20 0', 'ratio+:100 found+ clean+', plain],
  [
    'five lost: at least 0, each flagged in order',
    ['tasks.show !4', 'tasks.update !4', 'admin.backup !4', 'orchestrate.next !4', 'tasks.move !4'],
    '0 15 20 0 0',
    'none+ show+:1',
    'never- end- lost-:tasks.show lost-:tasks.update lost-:admin.backup lost-:tasks.next lost-:tasks.move help- mcp-',
  ],
  ['other errors cost nothing', ['tasks.add !10', 'tasks.start !35', 'tasks.update !6', 'x.y !2'], '0 10 20 20 0', bare, plain],
  [
    'the same title twice',
    ['tasks.add T001 d t=Parse', 'tasks.add T002 d t=_PARSE_'],
    '0 10 20 15 0',
    'none+ adds+:2',
    'never- end- twice-:1 help- mcp-',
  ],
  [
    'three times, and another twice: 5 points once',
    ['A', 'A', 'a', 'b', 'B'].map((title, i) => `tasks.add T00${i + 1} d t=${title}`),
    '0 10 20 15 0',
    'none+ adds+:5',
    'never- end- twice-:3 help- mcp-',
  ],
  ['a title again after a failure', ['tasks.add !6 t=A', 'tasks.add T001 d t=A'], '0 10 20 20 0', 'none+ adds+:1 clean+', plain],
  [
    'a title of a batch repeated',
    [createBatch(['T001'], [{ title: 'A', description: 'a' }]), createAdd({ title: 'a ', description: 'b' })],
    '0 10 20 15 0',
    'none+ adds+:2',
    'never- end- twice-:1 help- mcp-',
  ],
  [
    'redacted titles are not compared',
    repeat(2, createAdd({ title: 'Use [redacted]', description: 'b' })),
    '0 10 20 20 0',
    'none+ adds+:2 clean+',
    plain,
  ],
  [
    'a title stored as a hash is compared',
    repeat(2, createAdd({ title: digest, description: 'b' })),
    '0 10 20 15 0',
    'none+ adds+:2',
    'never- end- twice-:1 help- mcp-',
  ],
  [
    'lost and duplicate',
    ['tasks.show !4', 'tasks.add T001 d t=A', 'tasks.add T002 d t=A'],
    '0 15 20 10 0',
    'none+ show+:1 adds+:2',
    'never- end- lost-:tasks.show twice-:1 help- mcp-',
  ],

  // Disclosure
  ['help', ['admin.help'], '0 10 20 20 10', 'none+ clean+ help+:1', 'never- end- mcp-'],
  ['help by an alias', ['system.help'], '0 10 20 20 10', 'none+ clean+ help+:1', 'never- end- mcp-'],
  [
    'skill lookups by each of their names',
    ['tools.skill.show', 'tools.skill.list', 'skills.list', 'skills.show'],
    '0 10 20 20 10',
    'none+ clean+ help+:4',
    'never- end- mcp-',
  ],
  ['a query over MCP', ['q:admin.dash'], '0 10 20 20 10', 'none+ clean+ mcp+:1', 'never- end- help-'],
  ['a failed query over MCP', ['q:admin.dash !6'], '0 10 20 20 10', 'none+ clean+ mcp+:1', 'never- end- help-'],
  ['a write over MCP is not a query', ['m:tasks.complete'], '0 10 20 20 0', bare, plain],
  ['a read over HTTP is not a query over MCP', ['h:tasks.next'], '0 10 20 20 0', bare, plain],
  ['a grade call over MCP does not count', ['admin.dash', 'q:admin.grade'], '0 10 20 20 0', bare, plain],

  // The end of a session
  [
    'entries after the end are not graded',
    [...goodLog, end, 'tasks.list', 'tasks.add T001', 'tasks.show !4'],
    '20 20 20 20 20',
    'list+ end+ ratio+:100 show+:1 clean+ help+:1 mcp+:4',
    '',
  ],
  [
    'a resumed session continues to its next end',
    [...goodLog, end, 'm:session.resume', 'tasks.add T001', end, 'tasks.add T002'],
    '20 20 15 20 20',
    'list+ end+ ratio+:100 show+:1 clean+ help+:1 mcp+:4',
    'bare-:T001',
  ],
  [
    'a failed end does not end the session',
    [...goodLog, 'm:session.end !39', 'tasks.add T001'],
    '20 20 15 20 20',
    'list+ end+ ratio+:100 show+:1 clean+ help+:1 mcp+:4',
    'bare-:T001',
  ],
  [
    'a lookup after the end does not count',
    [...goodLog, 'tasks.update !4', end, 'tasks.find'],
    '20 20 20 15 20',
    'list+ end+ ratio+:100 show+:1 help+:1 mcp+:4',
    'lost-:tasks.update',
  ],
  [
    'a lookup before the next end counts',
    [...goodLog, 'tasks.update !4', end, 'tasks.find', end],
    '20 20 20 20 20',
    'list+ end+ ratio+:100 show+:1 found+ clean+ help+:1 mcp+:4',
    '',
  ],
  [
    'a title repeated after the end',
    [...goodLog, 'tasks.add T001 d t=A', end, 'tasks.add T002 d t=A'],
    '20 20 20 20 20',
    'list+ end+ ratio+:100 show+:1 adds+:1 clean+ help+:1 mcp+:4',
    '',
  ],
];
