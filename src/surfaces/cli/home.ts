import {
  createScreen,
  drawNamed,
  drawNode,
  measureWidth,
  narrowScreen,
  padRight,
  prepareWidths,
  type Screen,
  toOneLine,
  truncate,
  wrap,
} from '#core/terminal/index.ts';
import { type App, dispatch, type Envelope } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { parseArguments } from './arguments.ts';
import { createErrorReply, print, type Terminal } from './run.ts';
import { explainUnknownFlag } from './unknown-flag.ts';

const summaryOperation = 'admin.dash';

/** The commands that a person needs every day: group, operation, and the words to type. */
const commands: [group: string, operation: string, words: string][] = [
  ['plan', 'tasks.add', 'add "Title"'],
  ['', 'tasks.update', 'edit T1'],
  ['', 'tasks.list', 'list'],
  ['', 'tasks.find', 'find WORDS'],
  ['', 'tasks.show', 'show T1'],
  ['work', 'tasks.next', 'next'],
  ['', 'tasks.start', 'start T1'],
  ['', 'tasks.complete', 'done T1'],
  ['look', 'tasks.board', 'board'],
  ['', 'admin.undo', 'undo'],
];
/** The commands outside a project. */
const firstCommands: typeof commands = [
  ['begin', 'admin.init', 'init'],
  ['', 'admin.quickstart', 'quickstart'],
];

interface Summary {
  byStatus: Record<string, number>;
  tasks: number;
  active: { id: string; title: string; holder?: string }[];
  next?: { taskId: string; title: string };
}

/** Prints what `cleo` alone shows: the project, what is next, and the commands that a person needs. It fits a screen of 24 lines. */
export async function printHome(app: App, argv: string[], terminal: Terminal): Promise<number> {
  const { globals, error: inputError } = parseArguments(await app.registry.load(summaryOperation), argv, explainUnknownFlag);
  const { color = 'auto', session, agent } = globals;
  const wrong = inputError ?? (await import('./lenient-arguments.ts')).checkColour(color);
  if (wrong) return print(app, createErrorReply(app, 'cleo', wrong), globals, terminal);
  const screen = createScreen({ columns: terminal.columns, hasColour: color === 'auto' ? terminal.hasColour : color === 'always' });
  const { envelope, error } = await dispatch(app, {
    operation: summaryOperation,
    params: {},
    gateway: 'cli',
    ...defined({ session, agent }),
  });
  await prepareWidths(JSON.stringify(envelope));
  const isOutside = error?.row === 'E_NOT_INITIALIZED';
  const shown = isOutside ? [...firstCommands, ...commands] : commands;
  const lines = [
    `${screen.paint('bold', 'cleo')} ${app.platform.version} ${screen.paint('dim', truncate('· the task protocol for AI coding agents', screen.columns - 16))}`,
    '',
    ...drawPlace(app, envelope, isOutside, screen),
    '',
    ...(await drawCommands(app, shown, screen)),
    '',
    ...wrap('cleo help COMMAND explains one command, cleo help --all lists the others.', screen.columns).map((line) =>
      screen.paint('dim', line),
    ),
  ];
  terminal.write(`${lines.join('\n')}\n`);
  return 0;
}

function drawPlace({ platform }: App, envelope: Envelope, isOutside: boolean, screen: Screen): string[] {
  const labelWidth = 9;
  const inner = narrowScreen(screen, labelWidth);
  const shorten = (path: string): string =>
    measureWidth(path) <= inner.columns ? path : `…${[...path].slice(1 - inner.columns).join('')}`;
  if (isOutside) return wrap(`No project in ${toOneLine(platform.folder)} or above it.`, screen.columns);
  const root = shorten(toOneLine(platform.getProject()?.root ?? platform.folder));
  if (!envelope.success) {
    const { message, fix } = envelope.error as { message: string; fix: string };
    return drawNamed(
      [
        ['project', [root]],
        ['problem', wrap(message, inner.columns).slice(0, 4)],
        ['fix', [toOneLine(fix)]],
      ],
      screen,
    );
  }
  const { byStatus, tasks, active, next } = envelope.summary as Summary;
  const { done = 0 } = byStatus;
  const parts = [
    `${tasks - done} open`,
    ...['active', 'blocked'].flatMap((status) => (byStatus[status] ? [`${byStatus[status]} ${status}`] : [])),
    `${done} done`,
  ];
  const [first] = active;
  const draw = (node: Record<string, unknown>): string[] => [drawNode(node, inner, inner.columns)];
  return drawNamed(
    [
      ['project', [root]],
      ['tasks', [truncate(tasks === 0 ? 'none yet' : parts.join(' · '), inner.columns)]],
      ...(first ? ([['active', draw({ id: first.id, title: first.title })]] as [string, string[]][]) : []),
      ...(next ? ([['next', draw(next)]] as [string, string[]][]) : []),
    ],
    screen,
  );
}

async function drawCommands({ registry }: App, shown: typeof commands, screen: Screen): Promise<string[]> {
  const width = Math.max(...shown.map(([, , words]) => words.length)) + 2;
  const groupWidth = Math.max(...shown.map(([group]) => group.length)) + 2;
  const summaries = await Promise.all(shown.map(async ([, operation]) => (await registry.load(operation)).summary));
  // A narrow screen has no room to repeat the name of the program.
  const program = screen.columns < 60 ? '' : 'cleo ';
  const room = screen.columns - groupWidth - program.length - width;
  return shown.map(([group, , words], i) => {
    const head = `${screen.paint('bold', padRight(group, groupWidth))}${program}${screen.paint('cyan', padRight(words, width))}`;
    return `${head}${truncate(summaries[i]!, room)}`.trimEnd();
  });
}
