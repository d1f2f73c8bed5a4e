import { listCommandNames, toFlag } from '#core/command-line.ts';
import type { CommandDefinition, Operation, Registry, RegistryEntry } from '#core/define.ts';
import { exitCodes } from '#core/errors/exit-codes.ts';
import { describedGlobalFlags } from '#core/global-flag-meanings.ts';
import { groupByPurpose } from '#core/purposes.ts';
import { type Fields, measureWidth, padRight, type Screen, toOneLine, type View, wrap } from '#core/terminal/index.ts';
import { describeArguments, describeFlags, type FlagUsage } from '#core/usage.ts';
import { isPlainObject } from '#lib/collections.ts';

export const helpView: View = { forms: { help: drawHelp } };

interface HelpLine {
  name: string;
  about: string;
}

/** Draws the answer of `admin.help` in the terms of the command line. */
async function drawHelp(answer: Fields, screen: Screen, registry: Registry): Promise<string[]> {
  if (Array.isArray(answer.exits)) return drawExitCodes(answer.exits as typeof exitCodes, screen);
  if (Array.isArray(answer.skillExits)) return drawSkillExitCodes(answer.skillExits as SkillExitRow[], screen);
  const { processes } = await import('../operations/shared/processes.ts');
  if (typeof answer.process === 'string') return drawProcess(answer, processes.find(({ name }) => name === answer.process)!, screen);
  if (typeof answer.operation === 'string')
    return drawOperation(answer, await registry.load(answer.operation), screen, { registry, processes });
  return drawListing(answer, screen, { registry, processes });
}

interface Commands {
  registry: Registry;
  processes: CommandDefinition[];
}

function drawProcess(answer: Fields, process: CommandDefinition, screen: Screen): string[] {
  return [
    ...wrap(String(answer.summary), screen.columns).map((line) => screen.paint('bold', line)),
    '',
    `Usage: ${answer.usage}`,
    ...drawPart('Arguments', toArgumentLines(process), screen),
    ...drawPart('Options', toFlagLines(process), screen),
    ...drawPart('Global options', describedGlobalFlags.map(toGlobalLine), screen),
  ];
}

/** Lists the operations of a listing: the keys of a record, or the first words of signatures. */
const listNames = (lines: unknown): string[] =>
  Array.isArray(lines) ? lines.map((line: string) => line.split(' ', 1)[0]!) : Object.keys((lines ?? {}) as Fields);

async function drawListing(answer: Fields, screen: Screen, { registry, processes }: Commands): Promise<string[]> {
  const names = [...listNames(answer.query), ...listNames(answer.mutate)];
  const summaries = new Map(await Promise.all(names.map(async (name) => [name, (await registry.load(name)).summary] as const)));
  const shown = registry.entries.filter(({ name }) => summaries.has(name));
  const groups = new Map<string, RegistryEntry[]>(answer.all ? groupByPurpose(shown) : []);
  if (!answer.all)
    for (const entry of shown) {
      const domain = entry.name.split('.', 1)[0]!;
      groups.set(domain, [...(groups.get(domain) ?? []), entry]);
    }
  const isWhole = isPlainObject(answer.domains) || answer.all === true;
  const lines: HelpLine[][] = [...groups.values()].map((entries) =>
    entries.map((entry) => ({ name: formatCommand(entry, answer.group), about: summaries.get(entry.name)! })),
  );
  const width = measureColumn(lines.flat());
  const opening = isWhole
    ? [`${screen.paint('bold', 'cleo')}: the task protocol for AI coding agents`, '', 'Usage: cleo <command> [arguments] [options]', '']
    : [];
  const closing = isWhole
    ? [
        screen.paint('bold', answer.all ? 'Serve and watch' : 'processes'),
        ...drawColumns(
          processes.map((process) => ({ name: formatProcess(process), about: process.summary })),
          screen,
          width,
        ),
        '',
        screen.paint('bold', 'Global options'),
        ...drawColumns(describedGlobalFlags.map(toGlobalLine), screen),
        '',
        ...drawColumns(
          [
            { name: 'cleo help <command>', about: 'Help for one command' },
            ...(isPlainObject(answer.domains)
              ? [
                  { name: 'cleo help --all', about: `All ${registry.entries.length} commands by purpose` },
                  { name: 'cleo help --domain d', about: Object.keys(answer.domains).join(', ') },
                ]
              : []),
            { name: 'cleo help exit-codes', about: 'All exit codes with their recovery; skill-exit-codes: those of skills' },
            { name: 'cleo quickstart', about: 'Run a guided tour in a demo project' },
          ],
          screen,
        ),
      ]
    : [`${screen.paint('dim', 'Help for one command:')} cleo help <command>`];
  return [
    ...opening,
    ...[...groups.keys()].flatMap((domain, i) => [screen.paint('bold', domain), ...drawColumns(lines[i]!, screen, width), '']),
    ...closing,
  ];
}

/** Formats the first spelling of a command, or the one that begins with `group`. */
function formatCommand(entry: RegistryEntry, group?: unknown): string {
  const command = entry.commands.find((words) => words.startsWith(`${group} `)) ?? entry.commands[0];
  return `${command}${entry.select ? ` ${toFlag(entry.select)}` : ''}`;
}
const formatProcess = (process: CommandDefinition): string =>
  [listCommandNames(process)[0], ...(process.cli.select ? [toFlag(process.cli.select)] : [])].join(' ');
const toGlobalLine = ({ flags, value, about }: (typeof describedGlobalFlags)[number]): HelpLine => ({
  name: `${flags.join(', ')}${value ? ` ${value}` : ''}`,
  about,
});

function drawOperation(answer: Fields, operation: Operation, screen: Screen, { registry, processes }: Commands): string[] {
  const { paint } = screen;
  const [, ...others] = listCommandNames(operation);
  const args = toArgumentLines(operation);
  const flags = toFlagLines(operation);
  const width = measureColumn([...args, ...flags]);
  const recoveries = new Map(exitCodes.map(({ code, recovery }) => [code, recovery]));
  const errors = (answer.errors ?? []) as { code: string; exitCode: number }[];
  const aliases = Object.entries((answer.also ?? {}) as Record<string, string>).map(([name, known]) => `${name} for ${known}`);
  const synonyms = (answer.synonyms ?? []) as string[];
  const example = answer.example as { command: string };
  const seeAlso = ((answer.seeAlso ?? []) as string[]).flatMap((name): HelpLine[] => {
    const process = processes.find((each) => each.name === name);
    const entry = registry.find(name);
    const words = process ? formatProcess(process) : entry && formatCommand(entry);
    return words === undefined ? [] : [{ name: `cleo help ${name}`, about: `cleo ${words}` }];
  });
  return [
    ...wrap(String(answer.summary), screen.columns).map((line) => paint('bold', line)),
    paint('dim', `${answer.operation} · ${answer.gateway} · tier ${answer.tier}`),
    '',
    `Usage: ${answer.usage}`,
    ...(others.length ? [`Also:  ${others.map((command) => `cleo ${command}`).join(', ')}`] : []),
    ...(synonyms.length ? wrap(`Other words for it: ${synonyms.join(', ')}`, screen.columns) : []),
    ...drawPart('Arguments', args, screen, width),
    ...drawPart('Options', flags, screen, width),
    ...(aliases.length ? ['', ...wrap(`JSON also accepts ${aliases.join(', ')}.`, screen.columns)] : []),
    '',
    paint('bold', 'Example'),
    // Not wrapped, so that it can be copied.
    `  ${toOneLine(example.command)}`,
    '',
    `${paint('bold', 'Returns')} ${(answer.results as string[]).join(', ')}`,
    ...drawPart(
      'Errors',
      errors.map(({ code, exitCode }) => ({ name: `${String(exitCode).padStart(3)}  ${code}`, about: recoveries.get(exitCode) ?? '' })),
      screen,
    ),
    ...(answer.exitNamespace ? ['', `${paint('bold', 'Exit codes')} of skills: cleo help skill-exit-codes`] : []),
    ...drawPart('See also', seeAlso, screen),
  ];
}

const toArgumentLines = (command: CommandDefinition): HelpLine[] =>
  describeArguments(command).map((shape) => ({ name: `<${shape.name}>`, about: describeParameter({ shape }) }));

const toFlagLines = (command: CommandDefinition): HelpLine[] =>
  describeFlags(command).map((flag) => ({
    name: `${[...flag.flags].reverse().join(', ')}${flag.value ? ` ${flag.value}` : ''}`,
    about: describeParameter(flag),
  }));

/** Joins the description of a parameter with its choices and default. */
function describeParameter({ shape, value }: Pick<FlagUsage, 'shape' | 'value'>): string {
  const choices = shape.choices?.length && !value?.includes('|') ? `one of ${shape.choices.join(', ')}` : '';
  const fallback = shape.default === undefined || /\bdefault\b/.test(shape.about) ? '' : `default ${shape.default}`;
  const more = [shape.isRequired ? 'required' : '', choices, fallback].filter((part) => part !== '').join('; ');
  return [shape.about, more ? `(${more})` : ''].filter((part) => part !== '').join(' ');
}

function drawExitCodes(rows: ((typeof exitCodes)[number] & { errors?: string[] })[], screen: Screen): string[] {
  const lines = rows.map(({ code, constant, recoverable, recovery, errors = [] }) => ({
    name: `${String(code).padStart(3)}  ${constant}`,
    // Most codes have one error of the same name.
    about: [
      `${recovery}${recoverable === 'no' ? ' (not recoverable)' : ''}`,
      ...(errors.length > 1 || (errors[0] && errors[0] !== `E_${constant}`) ? [errors.join(', ')] : []),
    ].join(' · '),
  }));
  return [screen.paint('bold', 'Exit codes'), ...drawColumns(lines, screen)];
}

/** A row of the result key `skillExits`. */
interface SkillExitRow {
  codes: string;
  name: string;
  class: string;
  status: string;
  isRetried: boolean;
  action: string;
}

function drawSkillExitCodes(rows: SkillExitRow[], screen: Screen): string[] {
  const lines = rows.map(({ codes, name, class: exitClass, status, isRetried, action }) => {
    const about = `${exitClass} · ${status}${isRetried ? ' · retried' : ''} · ${action.replaceAll('_', ' ')}`;
    // A long list of codes would widen the left column too much.
    return codes.length > 3 ? { name: `     ${name}`, about: `${about} (${codes})` } : { name: `${codes.padStart(3)}  ${name}`, about };
  });
  return [screen.paint('bold', 'Exit codes of skills'), ...drawColumns(lines, screen)];
}

const drawPart = (title: string, lines: HelpLine[], screen: Screen, width?: number): string[] =>
  lines.length ? ['', screen.paint('bold', title), ...drawColumns(lines, screen, width)] : [];

const measureColumn = (lines: HelpLine[]): number => Math.min(30, Math.max(0, ...lines.map(({ name }) => measureWidth(name)))) + 2;

/** Draws names on the left and explanations on the right; a name too long for its column gets a line of its own. */
function drawColumns(lines: HelpLine[], screen: Screen, width = measureColumn(lines)): string[] {
  return lines.flatMap(({ name, about }) => {
    const [first = '', ...more] = wrap(about, screen.columns - width - 2);
    const indent = ' '.repeat(width + 2);
    const left = screen.paint('cyan', name);
    const rest = more.map((line) => `${indent}${line}`);
    if (measureWidth(name) + 2 > width && first !== '') return [`  ${left}`, `${indent}${first}`, ...rest];
    return [`  ${padRight(left, width)}${first}`.trimEnd(), ...rest];
  });
}
