import { array, description, type InferOutput, number, optional, pipe, record, strictObject, string, union } from 'valibot';
import { query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';

/** A literal word, or the output of another command line. */
const Word = union([string(), strictObject({ printedBy: array(string()) })]);
const Step = strictObject({
  /** The title of the chapter that begins with the step. */
  chapter: optional(string()),
  say: string(),
  /** Files that are written before the step runs. */
  files: optional(record(string(), string())),
  argv: array(Word),
  exit: optional(number()),
});
type Step = InferOutput<typeof Step>;

const plan = `{"version": 1, "create": [
  {"ref": "recipes", "type": "epic", "title": "Read recipes from a file",
   "description": "A reader for our recipe format"},
  {"ref": "grammar", "parent": "recipes", "title": "Write down the grammar",
   "description": "All forms of a recipe"},
  {"ref": "parser", "parent": "recipes", "title": "Implement the parser",
   "description": "Reads the forms of the grammar", "depends": ["grammar"],
   "acceptEvidence": ["implemented"]}
]}
`;
const parser = `export const read = (text) => text.trim().split('\\n');
`;

const scales = 'Amounts are always metric: our scales support nothing else';

const construct = `apiVersion: loa/v1
kind: Construct
metadata: {name: recipes, version: 1.0.0}
skills:
  - name: collect
    phase: research
    run: [node, -e, "fs.writeFileSync('note.md', '## Question')"]
  - name: count
    phase: plan
    run: [node, -e, "fs.writeFileSync('plan.txt', 'three tests')"]
execution: {phases: [research, plan]}
contracts:
  research: {outputs: [note.md]}
  plan: {outputs: [plan.txt]}
assessment:
  handoffs:
    research_to_plan:
      required_artifacts: [note.md]
      validation: {schema: research-note, min_completeness: 0.3}
`;
const note = `## Question
Which forms of amounts do cooks really use in their recipes?
## Sources
Twelve recipes of three cooks, read by hand
`;

const meals = `{"version": 1, "create": [
  {"ref": "menu", "type": "epic", "title": "Plan a menu"},
  {"ref": "starter", "parent": "menu", "title": "Choose a starter"},
  {"ref": "dish", "parent": "menu", "title": "Choose a main dish"},
  {"ref": "list", "parent": "menu", "title": "Write the shopping list", "depends": ["starter", "dish"]}
]}
`;
/** An agent without a model. It writes one file, slowly enough to be watched, and ends with the message that its prompt prescribes. */
const agent = [
  "const { env } = process; const task = env.CLEO_AGENT_ID.split('-')[0]; const say = (text) => fs.writeSync(1, text + '\\n');",
  "say('I look at the menu for ' + task);",
  "setTimeout(() => { fs.writeFileSync(task + '.txt', 'done'); say('Implementation complete. See MANIFEST.jsonl for summary.'); }, 800);",
].join(' ');
/** The user's own configuration, which needs no trust. Small menus need no research stage. */
const agentConfig = `${JSON.stringify({ lifecycleEnforcement: { mode: 'off' }, profiles: { demo: { argv: ['node', '-e', agent] } } })}\n`;

const worker = 'T003-worker-1';
const evidence = ['verify', 'T003', '--gate', 'implemented', '--evidence', 'files:parser.js', '--agent', worker];

/** The main workflow from start to end, in an empty project. */
const tour: Step[] = [
  { chapter: 'Plan', say: 'A project is a folder with a store.', argv: ['init'] },
  {
    say: 'A plan is one document: an epic and its tasks. Either all of it is created or nothing.',
    files: { 'plan.json': plan },
    argv: ['workgraph', 'apply', '--file', 'plan.json', '--fields', 'refs'],
  },
  { say: 'In which order? The tasks of one wave can be done in parallel.', argv: ['orchestrate', 'waves', 'T001'] },
  { say: 'The parser cannot be started yet. Every error suggests a fix.', argv: ['start', 'T003'], exit: 6 },
  {
    chapter: 'Work in a session',
    say: 'Work happens in sessions. A session has a scope and starts with the best task in it. This session is graded: reads are recorded too.',
    argv: ['session', 'start', '--scope', 'epic:T001', '--auto-focus', '--name', 'Recipes', '--grade'],
  },
  { say: 'Which sessions are there?', argv: ['session', 'list'] },
  { say: 'The task is claimed: only one agent can hold it.', argv: ['show', 'T002'] },
  {
    say: 'Decisions are stored in memory, here for the parser. An agent proposes a decision; a person accepts it.',
    argv: ['memory', 'store', '--type', 'decision', '--title', 'Amounts are metric', '--content', scales, '--task', 'T003'],
  },
  { say: 'Done. The answer lists the tasks that can be started now.', argv: ['complete'] },
  {
    chapter: 'Hand a task to a subagent',
    say: 'What is relevant for the next task? Its context pack contains it, the most important first, in at most 1,500 tokens.',
    argv: ['focus', 'T003'],
  },
  {
    say: 'A subagent gets the parser. An epic has stages; skipping the ones before implementation needs a reason.',
    argv: ['lifecycle', 'skip', 'T001', 'research', '--through', 'decomposition', '--reason', 'Small and agreed on'],
  },
  {
    say: 'One prompt, here in a file, contains everything for the subagent: rules, skill, task and commands.',
    argv: ['orchestrate', 'spawn', 'T003', '--prompt-file'],
  },
  { say: 'Now we act as the subagent, under its name.', argv: ['start', 'T003', '--agent', worker] },
  { say: 'This task needs evidence. Evidence is checked: this file does not exist.', argv: evidence, exit: 41 },
  { say: 'So write the file first.', files: { 'parser.js': parser }, argv: evidence },
  { say: '', argv: ['complete', 'T003', '--agent', worker] },
  { chapter: 'Find and add tasks', say: 'Are tests planned already? The search tolerates typos.', argv: ['find', 'recipies'] },
  { say: 'Add one more task.', argv: ['add', 'Test with real recipes', '--parent', 'T001', '--depends', 'T003'] },
  { say: 'What to do next? The answer gives the reason and claims the task.', argv: ['next', '--claim'] },
  {
    chapter: 'Run checked programs',
    say: 'Programs are checked too. A construct lists phases, their skills and the artifacts that each hands off. This note is only a heading, so the second phase does not start.',
    files: { 'construct.yaml': construct },
    argv: ['construct', 'run'],
    exit: 80,
  },
  {
    say: 'Write the missing sections and resume from the second phase. The task links to the run.',
    files: { 'note.md': note },
    argv: ['construct', 'run', '--from', 'plan', '--task', 'T004'],
  },
  {
    chapter: 'Hand over and grade',
    say: 'Time to stop. Ending a session releases its claims and leaves a handoff.',
    argv: ['session', 'end', '--note', 'The parser reads the grammar; real recipes are next'],
  },
  { say: 'The next agent reads this first.', argv: ['briefing'] },
  { say: 'And finds memories, even with typos.', argv: ['memory', 'find', 'mteric'] },
  {
    say: 'How good was the session? The grade follows only from the recorded calls. Each lost point names the call that would have earned it.',
    argv: ['grade', { printedBy: ['session', 'list', '--status', 'ended', '--quiet'] }, '--explain'],
  },
  {
    chapter: 'Let agents do an epic',
    say: 'A small epic: the list waits for the other two.',
    files: { 'menu.json': meals, '.cleo/home/config.json': agentConfig },
    argv: ['workgraph', 'apply', '--file', 'menu.json', '--fields', 'refs'],
  },
  {
    say: 'Each ready task gets an agent, here a small script, and what it leaves is checked. In a git repository, several agents work at once, each in a worktree.',
    argv: ['work', '--in-place', '--profile', 'demo', '--scope', 'epic:T005'],
  },
  { say: 'What did they do, and what did it cost?', argv: ['work', 'status'] },
];

export const adminQuickstart = query({
  name: 'admin.quickstart',
  summary: 'Run a guided tour in a demo project',
  params: strictObject({
    folder: optional(pipe(string(), description('New folder for the demo project, which is kept; defaults to a temporary folder'))),
  }),
  result: strictObject({
    steps: array(Step),
    folder: optional(string()),
    next: array(strictObject({ say: string(), argv: array(string()) })),
  }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'quickstart', args: ['folder'], demo: 'steps' },
  example: { call: {} },
  async run(_, { folder }) {
    return {
      steps: tour,
      ...defined({ folder }),
      next: [
        { say: 'Create a project in your own folder', argv: ['init'] },
        { say: 'Add the first task', argv: ['add', 'Describe the work'] },
        { say: 'Start a session for all tasks', argv: ['session', 'start', '--scope', 'global', '--auto-focus'] },
        { say: 'Connect your agent, here Claude Code', argv: ['setup', 'claude'] },
        { say: 'See where you are and what is next', argv: [] },
        { say: 'Watch the work in your browser', argv: ['serve', '--open'] },
      ],
    };
  },
});
