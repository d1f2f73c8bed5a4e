import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { callOperation, hasOperation, type McpContext } from './context.ts';
import { completeTaskIds, readResource, taskUri } from './resources.ts';
import { toolNames } from './tools.ts';

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
  complete?(desk: McpContext, beginning: string): Promise<string[]>;
}

/** A line of advice, or a call and why it is made; a call whose operation is not there is left out. */
type PromptStep = string | [operation: string, params: Record<string, unknown>, why: string];

interface PromptTemplate {
  name: string;
  title: string;
  description: string;
  arguments: PromptArgument[];
  steps(given: Record<string, string>): PromptStep[];
  /** The argument that names a task to be enclosed. */
  taskArgument?: string;
}

const templates: PromptTemplate[] = [
  {
    name: 'start-session',
    title: 'Start a session',
    description: 'Begin work: see who is here, open a session with a scope, take the first task',
    arguments: [
      { name: 'scope', description: 'epic:T001, saga:T001, task:T001 or global (default)', required: false, complete: completeScopes },
      { name: 'focus', description: 'The task to begin with; otherwise the one recommended', required: false, complete: completeTaskIds },
    ],
    steps: ({ scope = 'global', focus }) => [
      'Begin a working session on this project. Make these calls, and read each answer before the next:',
      ['session.list', {}, 'who is at work. If a session has your scope, resume it instead of starting another'],
      [
        'session.start',
        { scope, ...(focus ? { focus } : { autoFocus: true }), name: 'What you are about to do' },
        'your session and your first task',
      ],
      ['session.briefing', {}, 'what the last one left behind'],
      ['tasks.current', {}, 'the task you hold now'],
      'Then work on that task. Note what you learn with tasks.update {notes}, finish with tasks.complete, and ask tasks.next what follows.',
      ['session.end', { note: 'What is done, what is open, what to know' }, 'when you stop: it frees what you hold and writes the handoff'],
    ],
  },
  {
    name: 'spawn-task',
    title: 'Hand a task to an agent',
    description: 'Everything an agent needs to do one task and nothing else',
    arguments: [{ name: 'task', description: 'The task to be done', required: true, complete: completeTaskIds }],
    taskArgument: 'task',
    steps: ({ task = '' }) => [
      `You do task ${task}, enclosed, and nothing beside it.`,
      ['tasks.start', { taskId: task }, 'claims it for you; if another agent holds it (exit 35), stop and say so'],
      ['tasks.deps', { taskId: task }, 'what it builds on'],
      'Do what the description says until every acceptance criterion holds, and check that by running something, not by reading.',
      ['tasks.update', { taskId: task, notes: 'What you decided and why; what you ran and what it showed' }, 'as you go'],
      ['tasks.criteria.check', { taskId: task, n: 1 }, 'for each criterion, when it holds'],
      ['tasks.complete', { taskId: task }, 'at the end'],
      'If you find more work, add it as a task of its own and leave it. Report in a few lines: what changed, how it was proved, what is open.',
    ],
  },
  {
    name: 'plan-epic',
    title: 'Plan an epic',
    description: 'Turn a goal into an epic with tasks in order',
    arguments: [
      { name: 'goal', description: 'What is to be true when it is done', required: true },
      { name: 'epic', description: 'An epic that exists already', required: false, complete: completeTaskIds },
    ],
    steps: ({ goal = '', epic }) => [
      `Plan this goal as tasks: ${goal}`,
      ['tasks.find', { query: goal.slice(0, 100) }, 'what is there already; build on it rather than repeat it'],
      ...(epic
        ? ([['tasks.tree', { taskId: epic }, 'what the epic holds so far']] satisfies PromptStep[])
        : ([
            ['tasks.add', { title: 'The goal in a few words', type: 'epic', description: 'Why, and when it is done' }, 'the epic'],
          ] satisfies PromptStep[])),
      ['tasks.exists', { taskId: epic ?? 'T001' }, 'before you put anything below it'],
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
      'Depend only on what is truly needed first, so that the rest can be done side by side. Give sizes (small, medium, large), never hours or dates.',
      ['orchestrate.ready', {}, 'what could start now; if it is nothing, the order is wrong'],
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
  desk: McpContext,
  name: string,
  given: Record<string, string> = {},
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const template = getTemplate(name);
  for (const { name: argument, required } of template.arguments)
    if (required && !given[argument]?.trim())
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} needs the argument ${argument}`);
  const text = formatSteps(desk, template.steps(given));
  const enclosed = template.taskArgument && given[template.taskArgument];
  const { contents = [] } = enclosed ? await readResource(desk, taskUri(encodeURIComponent(enclosed)), signal) : {};
  return {
    description: template.description,
    messages: [
      { role: 'user', content: { type: 'text', text } },
      ...contents.map((resource) => ({ role: 'user' as const, content: { type: 'resource' as const, resource } })),
    ],
  };
}

export async function completePrompt(desk: McpContext, name: string, argument: string, beginning: string): Promise<string[]> {
  const known = getTemplate(name).arguments.find((each) => each.name === argument);
  return known?.complete ? known.complete(desk, beginning) : [];
}

function getTemplate(name: string): PromptTemplate {
  const template = templates.find((each) => each.name === name);
  if (!template) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
  return template;
}

function formatSteps(desk: McpContext, steps: PromptStep[]): string {
  return steps
    .flatMap((step) => {
      if (typeof step === 'string') return [step];
      const [name, params, why] = step;
      const kind = desk.app.registry.find(name)?.kind;
      if (!kind) return [];
      const [domain, ...rest] = name.split('.');
      return [
        `- ${toolNames[kind === 'query' ? 'query' : 'mutate']} ${JSON.stringify({ domain, operation: rest.join('.'), params })}: ${why}`,
      ];
    })
    .join('\n');
}

async function completeScopes(desk: McpContext, beginning: string): Promise<string[]> {
  const { envelope } = hasOperation(desk, 'tasks.find')
    ? await callOperation(desk, { operation: 'tasks.find', params: { type: 'epic', limit: 50 } })
    : { envelope: { tasks: [] } };
  const epics = (envelope.tasks as { id: string }[] | undefined) ?? [];
  return ['global', ...epics.map(({ id }) => `epic:${id}`)].filter((scope) => scope.startsWith(beginning));
}
