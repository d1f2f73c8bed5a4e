import type { SkillExit } from '#admin/operations/help.ts';
import { processes } from '#admin/operations/shared/processes.ts';
import { commandsOf, flagOf } from '#core/command-line.ts';
import type { CommandDefinition, Operation, Registry, RegistryEntry } from '#core/define.ts';
import { exits } from '#core/errors/exits.ts';
import { globalFlags } from '#core/global-flags.ts';
import { argumentsOf, type FlagUsage, flagsOf } from '#core/usage.ts';
import { type Fields, isFields } from './cell.ts';
import type { Screen } from './screen.ts';
import { oneLine, pad, widthOf, wrap } from './text.ts';

interface Line {
  name: string;
  about: string;
}

/** The answer of `admin.help` in the words of the command line. */
export async function help(answer: Fields, screen: Screen, catalog: Registry): Promise<string[]> {
  if (Array.isArray(answer.exits)) return exitTable(answer.exits as typeof exits, screen);
  if (Array.isArray(answer.skillExits)) return skillExitTable(answer.skillExits as SkillExit[], screen);
  if (typeof answer.process === 'string') return wholeProcess(answer, screen);
  if (typeof answer.operation === 'string') return whole(answer, await catalog.load(answer.operation), screen, catalog);
  return listing(answer, screen, catalog);
}

function wholeProcess(answer: Fields, screen: Screen): string[] {
  const process = processes.find(({ name }) => name === answer.process)!;
  return [
    ...wrap(String(answer.summary), screen.columns).map((line) => screen.paint('bold', line)),
    '',
    `Usage: ${answer.usage}`,
    ...part(
      'Arguments',
      argumentsOf(process).map((shape) => ({ name: `<${shape.name}>`, about: withChoices({ shape }) })),
      screen,
    ),
    ...part('Options', flagLines(process), screen),
    ...part('Everywhere', globalFlags.map(globalLine), screen),
  ];
}

function listing(answer: Fields, screen: Screen, catalog: Registry): string[] {
  const summaries: Fields = { ...(answer.query as Fields), ...(answer.mutate as Fields) };
  const shown = catalog.entries.filter((entry) => typeof summaries[entry.name] === 'string');
  const groups = new Map<string, RegistryEntry[]>();
  for (const entry of shown) {
    const domain = entry.name.split('.', 1)[0]!;
    groups.set(domain, [...(groups.get(domain) ?? []), entry]);
  }
  const lines: Line[][] = [...groups.values()].map((entries) =>
    entries.map((entry) => ({ name: commandOf(entry, answer.group), about: String(summaries[entry.name]) })),
  );
  const width = columnWidth(lines.flat());
  const opening = isFields(answer.domains)
    ? [`${screen.paint('bold', 'cleo')}: the task protocol for AI coding agents`, '', 'Usage: cleo <command> [arguments] [options]', '']
    : [];
  const closing = isFields(answer.domains)
    ? [
        screen.paint('bold', 'until they are stopped'),
        ...twoColumns(
          processes.map((process) => ({ name: wordsOf(process), about: process.summary })),
          screen,
          width,
        ),
        '',
        screen.paint('bold', 'Everywhere'),
        ...twoColumns(globalFlags.map(globalLine), screen),
        '',
        ...twoColumns(
          [
            { name: 'cleo help <command>', about: 'One command in full' },
            { name: 'cleo help --tier 2', about: `All ${catalog.entries.length} operations` },
            { name: 'cleo help --domain d', about: Object.keys(answer.domains).join(', ') },
            { name: 'cleo help exit-codes', about: 'What each exit code means and what to do; skill-exit-codes: those of skills' },
            { name: 'cleo quickstart', about: 'Watch it work' },
          ],
          screen,
        ),
      ]
    : [`${screen.paint('dim', 'One in full:')} cleo help <command>`];
  return [
    ...opening,
    ...[...groups.keys()].flatMap((domain, i) => [screen.paint('bold', domain), ...twoColumns(lines[i]!, screen, width), '']),
    ...closing,
  ];
}

/** Its first spelling, or the one that begins with these words. */
function commandOf(entry: RegistryEntry, group?: unknown): string {
  const command = entry.commands.find((words) => words.startsWith(`${group} `)) ?? entry.commands[0];
  return `${command}${entry.select ? ` ${flagOf(entry.select)}` : ''}`;
}
const wordsOf = (process: CommandDefinition): string =>
  [commandsOf(process)[0], ...(process.cli.select ? [flagOf(process.cli.select)] : [])].join(' ');
const globalLine = ({ flags, value, about }: (typeof globalFlags)[number]): Line => ({
  name: `${flags.join(', ')}${value ? ` ${value}` : ''}`,
  about,
});

function whole(answer: Fields, operation: Operation, screen: Screen, catalog: Registry): string[] {
  const { paint } = screen;
  const [, ...others] = commandsOf(operation);
  const args = argumentsOf(operation).map((shape) => ({ name: `<${shape.name}>`, about: withChoices({ shape }) }));
  const flags = flagLines(operation);
  const width = columnWidth([...args, ...flags]);
  const codes = new Map(exits.map((exit) => [exit.code, exit]));
  const errors = (answer.errors ?? []) as { code: string; exitCode: number }[];
  const also = Object.entries((answer.also ?? {}) as Record<string, string>).map(([name, known]) => `${name} for ${known}`);
  const example = answer.example as { command: string };
  const seeAlso = ((answer.seeAlso ?? []) as string[]).flatMap((name): Line[] => {
    const process = processes.find((each) => each.name === name);
    const entry = catalog.find(name);
    const words = process ? wordsOf(process) : entry && commandOf(entry);
    return words === undefined ? [] : [{ name: `cleo help ${name}`, about: `cleo ${words}` }];
  });
  return [
    ...wrap(String(answer.summary), screen.columns).map((line) => paint('bold', line)),
    paint('dim', `${answer.operation} · ${answer.gateway} · tier ${answer.tier}`),
    '',
    `Usage: ${answer.usage}`,
    ...(others.length ? [`Also:  ${others.map((command) => `cleo ${command}`).join(', ')}`] : []),
    ...part('Arguments', args, screen, width),
    ...part('Options', flags, screen, width),
    ...(also.length ? ['', ...wrap(`In JSON it also takes ${also.join(', ')}.`, screen.columns)] : []),
    '',
    paint('bold', 'Example'),
    // Not wrapped: it is there to be copied.
    `  ${oneLine(example.command)}`,
    '',
    `${paint('bold', 'Answers')} ${(answer.results as string[]).join(', ')}`,
    ...part(
      'Exit codes of its own',
      errors.map(({ code, exitCode }) => ({
        name: `${String(exitCode).padStart(3)}  ${code}`,
        about: codes.get(exitCode)?.recovery ?? '',
      })),
      screen,
    ),
    ...(answer.exitNamespace ? ['', `${paint('bold', 'Exit codes')} of skills: cleo help skill-exit-codes`] : []),
    ...part('See also', seeAlso, screen),
  ];
}

const flagLines = (command: CommandDefinition): Line[] =>
  flagsOf(command).map((flag) => ({
    name: `${[...flag.flags].reverse().join(', ')}${flag.value ? ` ${flag.value}` : ''}`,
    about: withChoices(flag),
  }));

function withChoices({ shape, value }: Pick<FlagUsage, 'shape' | 'value'>): string {
  const choices = shape.choices?.length && !value?.includes('|') ? `one of ${shape.choices.join(', ')}` : '';
  const fallback = shape.default === undefined || /\bdefault\b/.test(shape.about) ? '' : `default ${shape.default}`;
  const more = [shape.isRequired ? 'required' : '', choices, fallback].filter((part) => part !== '').join('; ');
  return [shape.about, more ? `(${more})` : ''].filter((part) => part !== '').join(' ');
}

function exitTable(rows: typeof exits, screen: Screen): string[] {
  const lines = rows.map(({ code, constant, recoverable, recovery }) => ({
    name: `${String(code).padStart(3)}  ${constant}`,
    about: `${recovery}${recoverable === 'no' ? ' (not recoverable)' : ''}`,
  }));
  return [screen.paint('bold', 'Exit codes'), ...twoColumns(lines, screen)];
}

function skillExitTable(rows: SkillExit[], screen: Screen): string[] {
  const lines = rows.map(({ codes, name, class: exitClass, status, isRetried, action }) => {
    const about = `${exitClass} · ${status}${isRetried ? ' · retried' : ''} · ${action.replaceAll('_', ' ')}`;
    // Many codes would push everything else aside.
    return codes.length > 3 ? { name: `     ${name}`, about: `${about} (${codes})` } : { name: `${codes.padStart(3)}  ${name}`, about };
  });
  return [screen.paint('bold', 'Exit codes of skills'), ...twoColumns(lines, screen)];
}

const part = (title: string, lines: Line[], screen: Screen, width?: number): string[] =>
  lines.length ? ['', screen.paint('bold', title), ...twoColumns(lines, screen, width)] : [];

const columnWidth = (lines: Line[]): number => Math.min(30, Math.max(0, ...lines.map(({ name }) => widthOf(name)))) + 2;

/** Names left, explanations right; a name too long for its column gets a line of its own. */
function twoColumns(lines: Line[], screen: Screen, width = columnWidth(lines)): string[] {
  return lines.flatMap(({ name, about }) => {
    const [first = '', ...more] = wrap(about, screen.columns - width - 2);
    const hang = ' '.repeat(width + 2);
    const left = screen.paint('cyan', name);
    const rest = more.map((line) => `${hang}${line}`);
    if (widthOf(name) + 2 > width && first !== '') return [`  ${left}`, `${hang}${first}`, ...rest];
    return [`  ${pad(left, width)}${first}`.trimEnd(), ...rest];
  });
}
