import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { query } from '../define.ts';

const Step = strictObject({ say: string(), argv: array(string()), exit: optional(number()) });
type Step = { say: string; argv: string[]; exit?: number };

/** The main job from beginning to end, in a project that has nothing else in it. */
const lesson: Step[] = [
  { say: 'A project is a folder with a store in it.', argv: ['init'] },
  {
    say: 'An epic holds what belongs together.',
    argv: ['add', 'Read recipes from a file', '--type', 'epic', '--description', 'A reader for our recipe format'],
  },
  {
    say: 'Tasks inside it, in the order they need: the parser waits for the grammar, the tests wait for the parser.',
    argv: ['add', 'Write down the grammar', '--parent', 'T001', '--priority', 'high', '--size', 'small'],
  },
  {
    say: 'A task may say when it counts as done.',
    argv: [
      'add',
      'Write the parser',
      '--parent',
      'T001',
      '--depends',
      'T002',
      '--acceptance',
      'reads every example|refuses what is not a recipe',
    ],
  },
  { say: 'One more, to show what waits for what.', argv: ['add', 'Test with real recipes', '--parent', 'T001', '--depends', 'T003'] },
  { say: 'The plan so far.', argv: ['tree'] },
  { say: 'What to do now? The answer says why.', argv: ['next'] },
  { say: 'The parser cannot be started yet; a refusal always names the way out.', argv: ['start', 'T003'], exit: 6 },
  { say: 'Starting a task claims it: of many agents, exactly one gets it.', argv: ['start', 'T002'] },
  { say: 'Notes stay with the task.', argv: ['update', 'T002', '--notes', 'Amounts are always metric'] },
  { say: 'Done; the answer lists what can be started now.', argv: ['complete', 'T002'] },
  { say: 'So next knows where to go on.', argv: ['next'] },
  { say: 'The parser, with criteria to tick off before it can be completed.', argv: ['start', 'T003'] },
  { say: 'Both hold.', argv: ['criteria', 'check', 'T003', '1'] },
  { say: '', argv: ['criteria', 'check', 'T003', '2'] },
  { say: '', argv: ['complete', 'T003'] },
  { say: 'Everything that happened to a task is kept.', argv: ['history', 'T002'] },
  { say: 'Search forgives a slip of the hand.', argv: ['find', 'recipies'] },
  { say: 'And so the plan looks now.', argv: ['tree'] },
];

export const adminQuickstart = query({
  name: 'admin.quickstart',
  summary: 'Play the main job in a demo project, command by command',
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
  cli: { command: 'quickstart', args: ['folder'], plays: 'steps' },
  example: { call: {} },
  async run(_, { folder }) {
    return {
      steps: lesson,
      ...(folder === undefined ? {} : { folder }),
      next: [
        { say: 'Make your own folder a project', argv: ['init'] },
        { say: 'The first task in it', argv: ['add', 'Say what has to be done'] },
        { say: 'All commands', argv: ['help'] },
      ],
    };
  },
});
