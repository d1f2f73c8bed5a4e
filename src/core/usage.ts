import { describeParams, listCommandNames, type ParamShape, toFlag } from './command-line.ts';
import type { CommandDefinition } from './define.ts';

/** A flag of a command for help, completion and docs. */
export interface FlagUsage {
  shape: ParamShape;
  /** All spellings, the long one first. */
  flags: string[];
  /** The placeholder of the value; a switch has none. */
  value?: string;
  isFile: boolean;
}

export const describeArguments = (operation: CommandDefinition): ParamShape[] => {
  const shapes = describeParams(operation.params);
  return (operation.cli.args ?? []).flatMap((name) => shapes.find((shape) => shape.name === name) ?? []);
};

export function describeFlags(operation: CommandDefinition): FlagUsage[] {
  const { args = [], short = {}, read = {}, several } = operation.cli;
  const flags = describeParams(operation.params)
    .filter((shape) => !args.includes(shape.name) && shape.name !== several)
    .map((shape) => {
      const isFile = read[shape.name] !== undefined;
      const value = isFile ? 'FILE|-' : formatPlaceholder(shape);
      return {
        shape,
        flags: [
          toFlag(read[shape.name]?.flag ?? shape.name),
          ...Object.entries(short).flatMap(([letter, name]) => (name === shape.name ? [`-${letter}`] : [])),
        ],
        ...(value ? { value } : {}),
        isFile,
      };
    });
  return [...flags, ...describeTextFlags(operation.cli.texts ?? [])];
}

/** Describes the flags that only the command line has for texts. */
function describeTextFlags(texts: string[]): FlagUsage[] {
  const base = { isRequired: false, separator: ',' };
  const files = texts.map((name) => ({
    shape: {
      ...base,
      name: `${name}File`,
      type: 'text' as const,
      about: `Read ${name} from a file; ${toFlag(name)} - reads standard input`,
    },
    flags: [`${toFlag(name)}-file`],
    value: 'FILE',
    isFile: true,
  }));
  const edit = { ...base, name: 'edit', type: 'flag' as const, about: 'Write the task in $VISUAL or $EDITOR' };
  return texts.length > 0 ? [...files, { shape: edit, flags: ['--edit'], isFile: false }] : [];
}

/** Formats `cleo add <title> [options]`, with optional arguments in brackets. */
export function formatUsage(operation: CommandDefinition): string {
  const { select, read = {}, several, args: names = [] } = operation.cli;
  const lastArg = names.at(-1);
  const flags = describeFlags(operation);
  const args = describeArguments(operation).map((shape) => {
    const name = `${read[shape.name] ? 'FILE|-' : `<${shape.name}>`}${(shape.type === 'list' && !read[shape.name]) || (several && shape.name === lastArg) ? '…' : ''}`;
    return shape.isRequired ? name : `[${name}]`;
  });
  const required = flags.filter(({ shape }) => shape.isRequired).map(({ flags: [flag], value }) => `${flag} ${value}`);
  const isSelected = select && !flags.some(({ shape }) => shape.name === select) ? [toFlag(select)] : [];
  const hasOptions = flags.some(({ shape }) => !shape.isRequired);
  return ['cleo', listCommandNames(operation)[0], ...args, ...isSelected, ...required, ...(hasOptions ? ['[options]'] : [])].join(' ');
}

function formatPlaceholder(shape: ParamShape): string | undefined {
  if (shape.type === 'flag') return undefined;
  const choices = shape.choices?.join('|') ?? '';
  const one = shape.value ?? (choices && choices.length <= 24 ? choices : shape.type === 'number' ? 'N' : 'TEXT');
  return shape.type === 'list' ? `${one}${shape.separator}…` : one;
}
