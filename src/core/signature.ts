import { describeParams, type ParamShape } from './command-line.ts';
import type { CommandDefinition } from './define.ts';

/** Longer lists of choices are left out; help for the operation has them. */
const maxChoicesLength = 40;

type Signed = Pick<CommandDefinition, 'name' | 'params'>;

/** Formats an operation with its parameters in one line: `tasks.add {title, description?, depends?[], priority?: high|low}`. `?` marks an
 *  optional parameter and `[]` a list. The others are texts unless they are `num`, `bool` or one of the listed values. */
export const formatSignature = ({ name, params }: Signed): string => `${name} {${describeParams(params).map(formatParam).join(', ')}}`;

/** Formats the signatures of several operations. Numbers are not marked, because their names say so, and a parameter has its type only
 *  where it appears first: agents pay for every byte of the first help. */
export function formatSignatures(operations: Signed[]): string[] {
  const seen = new Set<string>();
  return operations.map(({ name, params }) => {
    const shapes = describeParams(params).filter(({ isRare }) => !isRare);
    const parts = shapes.map((shape) => {
      const typed = formatParam(shape);
      const key = typed.replace('?', '').replace('[]', '');
      const isKnown = seen.has(key);
      seen.add(key);
      return shape.type === 'number' || isKnown ? formatName(shape) : typed;
    });
    return `${name} {${parts.join(', ')}}`;
  });
}

const formatName = ({ name, isRequired, type }: ParamShape): string => `${name}${isRequired ? '' : '?'}${type === 'list' ? '[]' : ''}`;

function formatParam(shape: ParamShape): string {
  const { type, form, choices = [] } = shape;
  const values = form ?? choices.join('|');
  const typeName = type === 'number' ? 'num' : type === 'flag' ? 'bool' : values.length <= maxChoicesLength ? values : '';
  return `${formatName(shape)}${typeName ? `: ${typeName}` : ''}`;
}
