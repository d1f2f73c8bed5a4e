import type { ImportTool } from '../../src/transfer/rules/detect-tool.ts';
import { hostileTexts } from '../faults/hostile-values.ts';
import type { Choices } from '../random.ts';

/** The files of an import, by their path in a folder. A value that is a list of folders is not possible: folders follow from the paths. */
export interface HostileImport {
  kind: string;
  files: Map<string, Buffer>;
  /** The title of a record that is not damaged and must be imported. */
  intact?: string;
}

const intactTitle = 'An intact record';

type Record_ = { [field: string]: unknown };

/** Records in the form of each tool, with every field that its reader knows. */
const samples: Record<ImportTool, (choices: Choices, n: number) => Record_> = {
  beads: (choices, n) => ({
    id: `bd-${n}`,
    title: `Issue ${n}`,
    description: 'Some text',
    design: 'A design',
    acceptance_criteria: '- [ ] one\n- [x] two',
    notes: 'A note',
    status: choices.pick(['open', 'closed', 'in_progress', 'blocked', 'deferred', 'odd']),
    priority: choices.below(5),
    issue_type: choices.pick(['task', 'epic', 'bug']),
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-02T00:00:00Z',
    closed_at: choices.pick([undefined, '2026-01-02T00:00:00Z']),
    close_reason: 'Done',
    assignee: 'ada',
    due_at: '2026-05-01',
    labels: ['a', 'b c'],
    dependencies: [link(n, choices.below(8), choices.pick(['blocks', 'parent-child', 'related', 'odd']))],
    comments: [{ author: 'ada', text: 'Seen', created_at: '2026-01-02T00:00:00Z' }],
  }),
  taskmaster: (choices, n) => ({
    id: n,
    title: `Task ${n}`,
    description: 'Some text',
    details: 'Details',
    testStrategy: 'Run it',
    status: choices.pick(['pending', 'done', 'review', 'deferred', 'cancelled', 'odd']),
    priority: choices.pick(['high', 'low', 'odd']),
    dependencies: [choices.below(8)],
    subtasks: [{ id: 1, title: 'Sub', status: 'done', dependencies: [2, '1.1'] }],
    labels: ['x'],
    assignee: 'ada',
    dueDate: '2026-05-01',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  }),
  taskwarrior: (choices, n) => ({
    uuid: `uuid-${n}`,
    description: `Task ${n}`,
    status: choices.pick(['pending', 'completed', 'waiting', 'deleted', 'recurring', 'odd']),
    entry: '20260101T000000Z',
    modified: '20260102T000000Z',
    end: choices.pick([undefined, '20260102T000000Z']),
    start: choices.pick([undefined, '20260102T000000Z']),
    wait: choices.pick([undefined, '20300101T000000Z']),
    due: '20260501T000000Z',
    priority: choices.pick(['H', 'M', 'L', 'X']),
    project: choices.pick(['home', 'home.garden', '', '.']),
    tags: ['next'],
    depends: [`uuid-${choices.below(8)}`],
    annotations: [{ entry: '20260102T000000Z', description: 'Seen' }],
    urgency: 1.5,
  }),
  github: (choices, n) => ({
    number: n,
    title: `Issue ${n}`,
    state: choices.pick(['OPEN', 'CLOSED', 'odd']),
    stateReason: choices.pick(['', 'NOT_PLANNED', 'DUPLICATE', 'odd']),
    body: `- [ ] #${choices.below(8)}\n- [x] write docs\n\nBlocked by #${choices.below(8)}`,
    url: `https://github.com/acme/app/issues/${n}`,
    labels: [{ name: 'P1' }, { name: 'blocked' }],
    assignees: [{ login: 'ada' }],
    author: { login: 'zoë' },
    milestone: { title: 'v1', dueOn: '2026-05-01T00:00:00Z' },
    comments: [{ author: { login: 'ada' }, body: 'Seen', createdAt: '2026-01-02T00:00:00Z' }],
    parent: { number: choices.below(8), url: `https://github.com/acme/app/issues/${choices.below(8)}` },
    subIssues: { nodes: [{ number: choices.below(8) }], totalCount: 5 },
    blockedBy: { nodes: [{ number: choices.below(8) }] },
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-02T00:00:00Z',
    closedAt: choices.pick([null, '2026-01-02T00:00:00Z']),
  }),
  backlog: (choices, n) => ({
    id: `TASK-${n}`,
    title: `Task ${n}`,
    status: choices.pick(['To Do', 'Done', 'In Progress', 'odd']),
    assignee: ['ada'],
    labels: ['x'],
    dependencies: [`TASK-${choices.below(8)}`],
    parent_task_id: choices.pick([undefined, `TASK-${choices.below(8)}`]),
    priority: choices.pick(['high', 'odd']),
    created_date: '2026-01-01 08:00',
    updated_date: '2026-01-02 08:00',
    due_date: '2026-05-01',
    milestone: 'm-1',
  }),
  'todo.txt': (choices, n) => ({
    line: `${choices.pick(['', 'x ', '(A) ', '(Z) '])}2026-01-01 Line ${n} +home @phone id:${n} p:${choices.below(8)} dep:${choices.below(8)} due:2026-05-01`,
  }),
};

const link = (n: number, on: number, type: string) => ({ issue_id: `bd-${n}`, depends_on_id: `bd-${on}`, type });

const nest = (depth: number): unknown => JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);

/** Values of every wrong type, and of extreme sizes. */
function createValue(choices: Choices): unknown {
  return choices.pick<() => unknown>([
    () => null,
    () => true,
    () => 0,
    () => -1,
    () => 1e9,
    () => 1e308,
    () => 9_007_199_254_740_993,
    () => [],
    () => ({}),
    () => [null, 7, { a: 1 }, ['b']],
    () => ({ __proto__: { polluted: true }, constructor: { prototype: 1 } }),
    () => JSON.parse('{"__proto__":{"polluted":true},"toString":1,"length":1e9}'),
    () => nest(choices.pick([3, 300, 1500])),
    () => choices.pick(Object.values(hostileTexts)),
    () => choices.pick(Object.values(hostileTexts)),
    () => choices.pick(['2026-13-45', '0000-00-00', 'yesterday', '2026-02-30T25:61:61Z', '99999-01-01', '-1', '1e9']),
    () => choices.pick(['../../etc/passwd', '/etc/passwd', 'C:\\x', 'a/b/c', '..', '.', 'T001', '#1', '__proto__', 'bd-1']),
    () => 'x'.repeat(choices.pick([201, 9000, 70_000])),
    () => Array.from({ length: choices.pick([100, 3000]) }, (_, i) => `item ${i}`),
    () => undefined,
  ])();
}

/** Damages one field of a record, at any depth. */
function damageField(choices: Choices, record: Record_): void {
  const fields = Object.keys(record);
  const field = choices.pick(fields);
  const value = record[field];
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first === 'object' && first !== null && choices.chance(0.6)) damageField(choices, first as Record_);
  else if (choices.chance(0.2)) delete record[field];
  else if (choices.chance(0.1)) record[choices.pick(['__proto__x', 'constructor', 'toString', 'extra', ''])] = createValue(choices);
  else Object.defineProperty(record, field, { value: createValue(choices), enumerable: true, configurable: true, writable: true });
}

function createRecords(choices: Choices, tool: ImportTool): Record_[] {
  const records = Array.from({ length: 1 + choices.below(12) }, (_, n) => samples[tool](choices, choices.chance(0.15) ? 1 : n));
  for (const record of records) for (let i = choices.below(4); i > 0 && Object.keys(record).length > 0; i--) damageField(choices, record);
  return records;
}

const yamlOf = (record: Record_): string =>
  `---\n${Object.entries(record)
    .map(([key, value]) => `${key}: ${toJsonText(value)}\n`)
    .join('')}---\n\n## Description\n\nText\n\n## Acceptance Criteria\n\n- [ ] #1 one\n- [x] #2 two\n`;

const toJsonText = (value: unknown): string => JSON.stringify(value) ?? '';

const intactRecords: Record<ImportTool, Record_> = {
  beads: { id: 'bd-intact', title: intactTitle, status: 'open', created_at: '2026-01-01T00:00:00Z' },
  taskmaster: { id: 4711, title: intactTitle, status: 'pending' },
  taskwarrior: { uuid: 'intact', description: intactTitle, status: 'pending' },
  github: { number: 4711, title: intactTitle, state: 'OPEN' },
  backlog: { id: 'TASK-4711', title: intactTitle, status: 'To Do' },
  'todo.txt': { line: `${intactTitle} id:intact` },
};

/** Formats records as the tool writes them, with one record that is intact. */
function formatFiles(choices: Choices, tool: ImportTool): Map<string, string> {
  const records = createRecords(choices, tool);
  // The first line of todo.txt shows whether it is a file of another format, which is not read.
  records.splice(tool === 'todo.txt' ? 0 : choices.below(records.length + 1), 0, intactRecords[tool]);
  if (tool === 'beads') return new Map([['issues.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join('')]]);
  if (tool === 'taskmaster') {
    const root = choices.chance(0.5) ? { tasks: records } : { master: { tasks: records }, other: { tasks: [createValue(choices)] } };
    return new Map([['tasks.json', JSON.stringify(root)]]);
  }
  if (tool === 'taskwarrior' || tool === 'github') {
    const extra = choices.chance(0.3) ? [createValue(choices)] : [];
    const text = choices.chance(0.5)
      ? JSON.stringify([...records, ...extra])
      : records.map((record) => `${JSON.stringify(record)}\n`).join('');
    return new Map([[tool === 'github' ? 'issues.json' : 'export.json', text]]);
  }
  if (tool === 'backlog')
    return new Map(
      records.map((record, i) => [`backlog/${choices.pick(['tasks', 'tasks/deep', 'completed', 'archive/tasks'])}/task-${i} - x.md`, yamlOf(record)]),
    );
  return new Map([['todo.txt', records.map(({ line }) => `${typeof line === 'string' ? line : toJsonText(line)}\n`).join('')]]);
}

/** Damages bytes, so that nothing of the file need be readable. */
const byteDamages: Record<string, (bytes: Buffer, choices: Choices) => Buffer> = {
  truncated: (bytes, choices) => bytes.subarray(0, choices.below(bytes.length)),
  'flipped bytes': (bytes, choices) => {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < 5 && copy.length > 0; i++) copy[choices.below(copy.length)] = choices.below(256);
    return copy;
  },
  'NUL bytes': (bytes, choices) => splice(bytes, choices.below(bytes.length), Buffer.alloc(1 + choices.below(50))),
  binary: (_, choices) => Buffer.from(Array.from({ length: 500 }, () => choices.below(256))),
  'half of UTF-16': (bytes, choices) => Buffer.from(bytes.toString('utf8'), 'utf16le').subarray(0, 1 + choices.below(bytes.length)),
  'deep nesting': (bytes, choices) => splice(bytes, choices.below(bytes.length), Buffer.from(choices.pick(['[', '{"a":', '- ', '? ']).repeat(30_000))),
  'a huge line': (bytes, choices) => splice(bytes, choices.below(bytes.length), Buffer.alloc(300_000, choices.pick(['x', '"', '{', ' ', '\\']))),
  empty: () => Buffer.alloc(0),
  'conflict markers': (bytes, choices) => splice(bytes, bytes.indexOf('\n', choices.below(bytes.length)) + 1, Buffer.from('<<<<<<< HEAD\n=======\n>>>>>>> x\n')),
  'a file of another tool': (_, choices) => Buffer.from([...formatFiles(choices, choices.pick(Object.keys(samples) as ImportTool[])).values()][0] ?? ''),
};

const splice = (bytes: Buffer, at: number, more: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

/** Other encodings of the same text, which must be read like it. */
const encodings: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'big-endian UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows line ends': (text) => Buffer.from(text.replace(/\r?\n/g, '\r\n')),
};

/** Creates the files of an import with damaged values, or with damaged bytes. */
export function createHostileImport(choices: Choices, tool: ImportTool): HostileImport {
  const files = formatFiles(choices, tool);
  if (choices.chance(0.6)) {
    const kind = choices.pick(Object.keys(encodings));
    return {
      kind: `damaged values, ${kind}`,
      files: new Map([...files].map(([name, text]) => [name, encodings[kind]!(text)])),
      intact: intactTitle,
    };
  }
  const kind = choices.pick(Object.keys(byteDamages));
  const [damaged] = [...files.keys()];
  const bytes = [...files].map(([name, text]): [string, Buffer] => {
    const whole = Buffer.from(text);
    return [name, name === damaged && whole.length > 0 ? byteDamages[kind]!(whole, choices) : whole];
  });
  // Files of one task each: the others are intact.
  const isElsewhere = tool === 'backlog' && !files.get(damaged!)!.includes(intactTitle);
  return { kind, files: new Map(bytes), ...(isElsewhere ? { intact: intactTitle } : {}) };
}
