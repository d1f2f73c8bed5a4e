import { array, description, type InferOutput, number, optional, pipe, record, strictObject, string, union } from 'valibot';
import { query } from '#core/define.ts';

/** A word as it stands, or what another command line prints. */
const Word = union([string(), strictObject({ printedBy: array(string()) })]);
const Step = strictObject({
  say: string(),
  /** What stands in the folder by then, because somebody wrote it. */
  files: optional(record(string(), string())),
  argv: array(Word),
  exit: optional(number()),
});
type Step = InferOutput<typeof Step>;

const plan = `{"version": 1, "create": [
  {"ref": "recipes", "type": "epic", "title": "Read recipes from a file",
   "description": "A reader for our recipe format"},
  {"ref": "grammar", "parent": "recipes", "title": "Write down the grammar",
   "description": "Every form that a recipe may have"},
  {"ref": "parser", "parent": "recipes", "title": "Implement the parser",
   "description": "Reads what the grammar allows", "depends": ["grammar"],
   "acceptEvidence": ["implemented"]}
]}
`;
const parser = `export const read = (text) => text.trim().split('\\n');
`;

const scales = 'Amounts are always metric: our scales know nothing else';

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

const worker = 'T003-worker-1';
const evidence = ['verify', 'T003', '--gate', 'implemented', '--evidence', 'files:parser.js', '--agent', worker];

/** The main job from beginning to end, in a project that has nothing else in it. */
const lesson: Step[] = [
  { say: 'A project is a folder with a store in it.', argv: ['init'] },
  {
    say: 'A plan is one document: an epic, and the tasks in it. All of it is made, or nothing.',
    files: { 'plan.json': plan },
    argv: ['workgraph', 'apply', '--file', 'plan.json', '--fields', 'refs'],
  },
  { say: 'In which order? What is in one wave can be done side by side.', argv: ['orchestrate', 'waves', 'T001'] },
  { say: 'So the parser cannot be started yet; a refusal always names the way out.', argv: ['start', 'T003'], exit: 6 },
  {
    say: 'Work is done in sessions. A session has a scope, and begins with the best task in it. This one is graded: reads are recorded too.',
    argv: ['session', 'start', '--scope', 'epic:T001', '--auto-focus', '--name', 'Recipes', '--grade'],
  },
  { say: 'Who else is at work?', argv: ['session', 'list'] },
  { say: 'The task is claimed: of many agents, exactly one gets it.', argv: ['show', 'T002'] },
  {
    say: 'What is decided on the way is kept in memory, here for the parser. An agent proposes it; a person accepts it.',
    argv: ['memory', 'store', '--type', 'decision', '--title', 'Amounts are metric', '--content', scales, '--task', 'T003'],
  },
  { say: 'Done; the answer lists what can be started now.', argv: ['complete'] },
  {
    say: 'What is there to know for the next one? Its context pack tells, the most important first, in at most 1,500 tokens.',
    argv: ['focus', 'T003'],
  },
  {
    say: 'The parser goes to a subagent. An epic has stages, and nothing is implemented before its time, unless somebody says why.',
    argv: ['lifecycle', 'skip', 'T001', 'research', '--through', 'decomposition', '--reason', 'Small and agreed on'],
  },
  {
    say: 'Everything the subagent has to know is one prompt, here in a file: rules, skill, task, and the commands to use.',
    argv: ['orchestrate', 'spawn', 'T003', '--prompt-file'],
  },
  { say: 'Now we are the subagent, under the name it was given.', argv: ['start', 'T003', '--agent', worker] },
  { say: 'This task needs evidence. It is looked at, not believed: there is no such file.', argv: evidence, exit: 41 },
  { say: 'So the work comes first.', files: { 'parser.js': parser }, argv: evidence },
  { say: '', argv: ['complete', 'T003', '--agent', worker] },
  { say: 'Has somebody planned tests already? Search forgives a slip of the hand.', argv: ['find', 'recipies'] },
  { say: 'So one more task, in a hurry.', argv: ['add', 'Test with real recipes', '--parent', 'T001', '--depends', 'T003'] },
  { say: 'What to do now? The answer says why, and claims it.', argv: ['next', '--claim'] },
  {
    say: 'What programs do is checked too. A construct names phases, their skills, and what each hands on. This note is a heading and nothing else, so the second phase never begins.',
    files: { 'construct.yaml': construct },
    argv: ['construct', 'run'],
    exit: 80,
  },
  {
    say: 'Somebody writes what is missing; from there it goes on, and the task knows of it.',
    files: { 'note.md': note },
    argv: ['construct', 'run', '--from', 'plan', '--task', 'T004'],
  },
  {
    say: 'Time to stop. The end of a session lets go of what it holds, and hands over.',
    argv: ['session', 'end', '--note', 'The parser reads the grammar; real recipes are next'],
  },
  { say: 'Whoever comes next reads this first.', argv: ['briefing'] },
  { say: 'And finds what is remembered, slips of the hand included.', argv: ['memory', 'find', 'mteric'] },
  {
    say: 'How well was that done? The grade follows from what was recorded, and from nothing else; each lost point with the call that would have kept it.',
    argv: ['grade', { printedBy: ['session', 'list', '--status', 'ended', '--quiet'] }, '--explain'],
  },
];

export const adminQuickstart = query({
  name: 'admin.quickstart',
  summary: 'Play the main job in a demo project: plan, work, remember, hand out, verify, run skills, grade',
  params: strictObject({
    folder: optional(pipe(string(), description('Play it in this new folder and leave it there, instead of in a temporary one'))),
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
      steps: lesson,
      ...(folder === undefined ? {} : { folder }),
      next: [
        { say: 'Make your own folder a project', argv: ['init'] },
        { say: 'The first task in it', argv: ['add', 'Say what has to be done'] },
        { say: 'A session for everything', argv: ['session', 'start', '--scope', 'global', '--auto-focus'] },
        { say: 'All commands', argv: ['help'] },
      ],
    };
  },
});
