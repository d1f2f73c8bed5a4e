import type { CommandDefinition } from './define.ts';
import { describeParams, type ParamShape } from './shape.ts';

/** Longer lists of choices are left out; help for the operation has them. */
const maxChoicesLength = 40;

/** Formats an operation with its parameters in one line: `tasks.add {title, description?, depends?[], priority?: high|low}`. */
export const formatSignature = (operation: CommandDefinition): string => `${operation.name} ${formatParams(operation)}`;

/** Formats the parameters of an operation: `?` marks an optional one, `[]` a list. The others are texts unless they are `num`, `bool` or one of
 *  the listed values. */
export const formatParams = ({ params }: Pick<CommandDefinition, 'params'>): string =>
  `{${describeParams(params).map(formatParam).join(', ')}}`;

function formatParam({ name, isRequired, type, form, choices = [] }: ParamShape): string {
  const values = form ?? choices.join('|');
  const typeName = type === 'number' ? 'num' : type === 'flag' ? 'bool' : values.length <= maxChoicesLength ? values : '';
  return `${name}${isRequired ? '' : '?'}${type === 'list' ? '[]' : ''}${typeName ? `: ${typeName}` : ''}`;
}
