import { array, description, type InferOutput, number, optional, pipe, strictObject, string, union } from 'valibot';
import { query } from '../define.ts';

/** A word as it stands, or what another command line prints. */
const Word = union([string(), strictObject({ printedBy: array(string()) })]);
const Step = strictObject({ say: string(), argv: array(Word), exit: optional(number()) });
type Step = InferOutput<typeof Step>;

/** The main job from beginning to end, in a project that has nothing else in it. */
const lesson: Step[] = [
  { say: 'A project is a folder with a store in it.', argv: ['init'] },
  {
    say: 'An epic holds what belongs together.',
    argv: ['add', 'Read recipes from a file', '--type', 'epic', '--description', 'A reader for our recipe format'],
  },
  {
    say: 'Tasks inside it, in the order they need: the parser waits for the grammar.',
    argv: ['add', 'Write down the grammar', '--parent', 'T001', '--priority', 'high', '--description', 'Every form that a recipe may have'],
  },
  {
    say: '',
    argv: ['add', 'Write the parser', '--parent', 'T001', '--depends', 'T002', '--acceptance', 'reads every example'],
  },
  { say: 'The parser cannot be started yet; a refusal always names the way out.', argv: ['start', 'T003'], exit: 6 },
  {
    say: 'Work is done in sessions. A session has a scope, and begins with the best task in it. This one is graded: reads are recorded too.',
    argv: ['session', 'start', '--scope', 'epic:T001', '--auto-focus', '--name', 'Recipes', '--grade'],
  },
  { say: 'Who else is at work?', argv: ['session', 'list'] },
  { say: 'The task is claimed: of many agents, exactly one gets it.', argv: ['show', 'T002'] },
  { say: 'Notes stay with the task. A decision is handed over.', argv: ['update', '--notes', 'Decision: amounts are always metric'] },
  { say: 'Done; the answer lists what can be started now.', argv: ['complete'] },
  { say: 'Has somebody planned tests already? Search forgives a slip of the hand.', argv: ['find', 'recipies'] },
  { say: 'So one more task, in a hurry.', argv: ['add', 'Test with real recipes', '--parent', 'T001', '--depends', 'T003'] },
  { say: 'What to do now? The answer says why, and claims it.', argv: ['next', '--claim'] },
  {
    say: 'Time to stop. The end of a session lets go of what it holds, and hands over.',
    argv: ['session', 'end', '--note', 'The grammar is written; the parser is begun'],
  },
  { say: 'Whoever comes next reads this first.', argv: ['briefing'] },
  {
    say: 'How well was that done? The grade follows from what was recorded, and from nothing else; each lost point with the call that would have kept it.',
    argv: ['grade', { printedBy: ['session', 'list', '--status', 'ended', '--quiet'] }, '--explain'],
  },
];

export const adminQuickstart = query({
  name: 'admin.quickstart',
  summary: 'Play the main job in a demo project, command by command: a graded session and its grade',
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
        { say: 'A session for everything', argv: ['session', 'start', '--scope', 'global', '--auto-focus'] },
        { say: 'All commands', argv: ['help'] },
      ],
    };
  },
});
