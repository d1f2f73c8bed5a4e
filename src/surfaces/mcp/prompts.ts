import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { callOperation, hasOperation, type McpContext } from './context.ts';
import { completeTaskIds, readResource, taskUri } from './resources.ts';
import { toolNames } from './tools.ts';

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  complete?(context: McpContext, beginning: string): Promise<string[]>;
}

/** A line of text, or a call and its purpose. A call of an unknown operation is left out. */
type PromptStep = string | [operation: string, params: Record<string, unknown>, purpose: string];

interface PromptTemplate {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
  steps(values: Record<string, string>): PromptStep[];
  /** The argument that names a task whose resource is attached. */
  taskArgument?: string;
}

const templates: PromptTemplate[] = [
  {
    name: 'start-session',
    title: 'Start a session',
    description: 'Begin work: list the sessions, start one with a scope, claim the first task',
    arguments: [
      { name: 'scope', description: 'epic:T001, saga:T001, task:T001 or global (default)', required: false, complete: completeScopes },
      { name: 'focus', description: 'The first task; the recommended one by default', required: false, complete: completeTaskIds },
    ],
    steps: ({ scope = 'global', focus }) => [
      'Begin a working session on this project. Make these calls, and read each answer before the next:',
      ['session.list', {}, 'the active sessions. If one has your scope, resume it instead of starting another'],
      [
        'session.start',
        { scope, ...(focus ? { focus } : { autoFocus: true }), name: 'What you are about to do' },
        'starts your session and claims your first task',
      ],
      ['session.briefing', {}, 'the handoff of the previous session'],
      ['tasks.current', {}, 'the task that you have claimed'],
      'Then work on that task. Note what you learn with tasks.update {notes}, finish with tasks.complete, and call tasks.next for the next task.',
      [
        'session.end',
        { note: 'What is done, what is open, what to know' },
        'when you stop: it releases your claims and writes the handoff',
      ],
    ],
  },
  {
    name: 'spawn-task',
    title: 'Give a task to an agent',
    description: 'All that an agent needs for exactly one task',
    arguments: [{ name: 'task', description: 'The task to do', required: true, complete: completeTaskIds }],
    taskArgument: 'task',
    steps: ({ task = '' }) => [
      `Do task ${task}, which is attached, and nothing else.`,
      ['tasks.start', { taskId: task }, 'claims it for you; if another agent holds it (exit 35), stop and report that'],
      ['tasks.deps', { taskId: task }, 'its dependencies'],
      'Follow the description until every acceptance criterion is met, and check each by running something, not by reading.',
      ['tasks.update', { taskId: task, notes: 'What you decided and why; what you ran and what it showed' }, 'as you go'],
      ['tasks.criteria.check', { taskId: task, n: 1 }, 'for each criterion when it is met'],
      ['tasks.complete', { taskId: task }, 'at the end'],
      'If you find more work, add a task for it and leave it. Report in a few lines: what changed, how you verified it, what is open.',
    ],
  },
  {
    name: 'plan-epic',
    title: 'Plan an epic',
    description: 'Turn a goal into an epic with ordered tasks',
    arguments: [
      { name: 'goal', description: 'What will be true when it is done', required: true },
      { name: 'epic', description: 'An existing epic', required: false, complete: completeTaskIds },
    ],
    steps: ({ goal = '', epic }) => [
      `Plan this goal as tasks: ${goal}`,
      ['tasks.find', { query: goal.slice(0, 100) }, 'existing tasks; build on them instead of repeating them'],
      ...(epic
        ? ([['tasks.tree', { taskId: epic }, 'the tasks in the epic so far']] satisfies PromptStep[])
        : ([
            ['tasks.add', { title: 'The goal in a few words', type: 'epic', description: 'Why, and when it is done' }, 'the epic'],
          ] satisfies PromptStep[])),
      ['tasks.exists', { taskId: epic ?? 'T001' }, 'before you add tasks below it'],
      [
        'tasks.add',
        {
          title: 'One outcome, in the imperative',
          parent: epic ?? 'T001',
          description: 'What it changes',
          acceptance: ['What can be checked'],
          depends: ['T002'],
        },
        'one for each outcome; at most seven below one parent',
      ],
      'Add only dependencies that are really needed, so that the other tasks can be done in parallel. Give sizes (small, medium, large), never hours or dates.',
      ['orchestrate.ready', {}, 'the tasks that can start now; if there are none, the dependencies are wrong'],
    ],
  },
];

export const listPrompts = (): Prompt[] =>
  templates.map(({ name, title, description, arguments: known }) => ({
    name,
    title,
    description,
    arguments: known.map(({ complete: _, ...argument }) => argument),
  }));

export async function getPrompt(
  context: McpContext,
  name: string,
  values: Record<string, string> = {},
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const template = getTemplate(name);
  for (const { name: argument, required } of template.arguments)
    if (required && !values[argument]?.trim())
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} needs the argument ${argument}`);
  const text = formatSteps(context, template.steps(values));
  const task = template.taskArgument && values[template.taskArgument];
  const { contents = [] } = task ? await readResource(context, taskUri(encodeURIComponent(task)), signal) : {};
  return {
    description: template.description,
    messages: [
      { role: 'user', content: { type: 'text', text } },
      ...contents.map((resource) => ({ role: 'user' as const, content: { type: 'resource' as const, resource } })),
    ],
  };
}

export async function completePrompt(context: McpContext, name: string, argument: string, beginning: string): Promise<string[]> {
  const known = getTemplate(name).arguments.find((each) => each.name === argument);
  return known?.complete ? known.complete(context, beginning) : [];
}

function getTemplate(name: string): PromptTemplate {
  const template = templates.find((each) => each.name === name);
  if (!template) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
  return template;
}

function formatSteps(context: McpContext, steps: PromptStep[]): string {
  return steps
    .flatMap((step) => {
      if (typeof step === 'string') return [step];
      const [name, params, purpose] = step;
      const kind = context.app.registry.find(name)?.kind;
      if (!kind) return [];
      const [domain, ...rest] = name.split('.');
      return [
        `- ${toolNames[kind === 'query' ? 'query' : 'mutate']} ${JSON.stringify({ domain, operation: rest.join('.'), params })}: ${purpose}`,
      ];
    })
    .join('\n');
}

async function completeScopes(context: McpContext, beginning: string): Promise<string[]> {
  const { envelope } = hasOperation(context, 'tasks.find')
    ? await callOperation(context, { operation: 'tasks.find', params: { type: 'epic', limit: 50 } })
    : { envelope: { tasks: [] } };
  const epics = (envelope.tasks as { id: string }[] | undefined) ?? [];
  return ['global', ...epics.map(({ id }) => `epic:${id}`)].filter((scope) => scope.startsWith(beginning));
}
