import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { createScreen, wrap } from '#core/terminal/index.ts';
import type { App, Envelope } from '#dispatch/dispatch.ts';
import { isInteractive } from './interactive.ts';
import { runCli, type Terminal } from './run.ts';

interface DemoStep {
  /** The title of the chapter that begins with this step. */
  chapter?: string;
  say: string;
  /** Files that are written before the command, by their path in the folder. */
  files?: Record<string, string>;
  /** A word, or the output of another command line. */
  argv: (string | { printedBy: string[] })[];
  exit?: number;
}

/** Runs the command lines of an answer in a project of their own, and prints them with their output. */
export async function runDemo(envelope: Envelope, key: string, terminal: Terminal, platform: App['platform']): Promise<number> {
  const steps = envelope[key] as DemoStep[];
  const given = typeof envelope.folder === 'string' ? resolve(envelope.folder) : undefined;
  const problem = given && findFolderProblem(given);
  if (problem)
    throw new CleoError('E_INVALID_INPUT', {
      problem: `${given} ${problem}; the demo needs a new or empty folder`,
      fix: 'cleo quickstart',
    });
  const folder = given ?? mkdtempSync(join(tmpdir(), 'cleo-demo-'));
  mkdirSync(folder, { recursive: true });
  const { paint, columns } = createScreen({ columns: terminal.columns, hasColour: terminal.hasColour && terminal.isTerminal });
  const say = (text: string): void => terminal.write(`${wrap(text, columns).join('\n')}\n`);
  const prompt = (words: string[]): void => terminal.write(`${paint('green', '$')} ${paint('bold', commandLine(words))}\n`);
  // Errors are part of the demo, so they go to standard output too.
  const demoTerminal: Terminal = { ...terminal, writeError: terminal.write, hasColour: terminal.hasColour && terminal.isTerminal };
  const app = terminal.appAt(folder);
  const chapters = steps.flatMap(({ chapter }) => chapter ?? []);
  const canPause = terminal.isTerminal && (await isInteractive(platform));
  try {
    for (const { chapter, say: text, files = {}, argv: words, exit = 0 } of steps) {
      if (chapter) {
        const number = chapters.indexOf(chapter) + 1;
        if (canPause && number > 1 && !(await isContinued(platform))) break;
        terminal.write(`${paint('bold', `${number} of ${chapters.length}: ${chapter}`)}\n\n`);
      }
      const argv: string[] = [];
      for (const word of words) argv.push(typeof word === 'string' ? word : await captureOutput(app, word.printedBy, demoTerminal));
      if (text) say(text);
      for (const [path, content] of Object.entries(files)) {
        writeFileSync(join(folder, path), content);
        prompt(['cat', path]);
        terminal.write(content);
      }
      if (Object.keys(files).length > 0) await trustDemo(app);
      prompt(['cleo', ...argv]);
      const code = await runCli(app, [...argv, '--human', '--no-pager'], demoTerminal);
      terminal.write('\n');
      if (code === exit) continue;
      terminal.writeError(`The demo stops here: exit ${code} where ${exit} was expected\n`);
      return 1;
    }
  } finally {
    await app.closeStores();
    if (!given) rmSync(folder, { recursive: true, force: true });
  }
  say(given ? `The demo project is in ${given}` : 'The demo project was a temporary folder and is gone.');
  say('What to try next, in a folder of your own:');
  const next = (envelope.next as { say: string; argv: string[] }[]).map((step) => ({
    ...step,
    command: commandLine(['cleo', ...step.argv]),
  }));
  const width = Math.max(...next.map(({ command }) => command.length));
  for (const { say: text, command } of next) {
    const lines = wrap(text, Math.max(20, columns - width - 4)).map((line) => paint('dim', line));
    terminal.write(`  ${command.padEnd(width)}  ${lines.join(`\n${' '.repeat(width + 4)}`)}\n`);
  }
  return 0;
}

const pauseTimeoutMs = 60 * 60_000;

/** Waits between two chapters, so that none scrolls away unread. */
async function isContinued({ loadTerminal }: App['platform']): Promise<boolean> {
  const answer = await (await loadTerminal()).ask('Press Enter to continue, q and Enter to stop: ', { timeoutMs: pauseTimeoutMs });
  return answer !== undefined && !/^q/i.test(answer.trim());
}

/** Trusts the programs of the demo, which this process has just written. */
async function trustDemo({ platform }: App): Promise<void> {
  const project = platform.getProject();
  if (project) await (await platform.loadTrust()).trustAll(project);
}

/** The demo writes files with common names, and would overwrite those of the user. */
function findFolderProblem(folder: string): string | undefined {
  const status = lstatSync(folder, { throwIfNoEntry: false });
  if (!status) return undefined;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 'is not a folder';
  const names = readdirSync(folder);
  if (names.includes('.cleo')) return 'is a project already';
  return names.length > 0 ? `contains ${names[0]}` : undefined;
}

/** Runs a command line and returns its output without the final line break. */
async function captureOutput(app: App, argv: string[], terminal: Terminal): Promise<string> {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  await runCli(app, argv, { ...terminal, write, writeError: write });
  return text.trim();
}
