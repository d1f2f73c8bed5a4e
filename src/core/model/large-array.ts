import { type ArraySchema, array, type GenericSchema } from 'valibot';

/** The same schema as `array`, for lists of thousands. If it accepts all items as they are, the list itself is the output. Parsing would copy
 *  each item and each of its values, which took a tenth of the time of a batch. Otherwise the list is parsed, so that errors and corrected values
 *  are those of `array`. */
export function largeArray<T extends GenericSchema>(item: T): ArraySchema<T, undefined> {
  const schema = array(item);
  let check: ValueCheck | undefined;
  return {
    ...schema,
    '~run'(dataset, config) {
      const { value } = dataset;
      check ??= prepareCheck(item);
      if (!Array.isArray(value) || !acceptsItems(check, value)) return schema['~run'](dataset, config);
      return Object.assign(dataset, { typed: true as const }) as ReturnType<(typeof schema)['~run']>;
    },
  };
}

/** Prepares the check that parsing would accept a value and return an equal one. A value that fails it may still be valid: schemas and actions
 *  that this file does not know fail always, and the value has to be parsed. */
export function prepareAsIsCheck(schema: GenericSchema): (value: unknown) => boolean {
  const check = prepareCheck(schema);
  return (value) => accepts(check, value);
}

/** The parts of valibot's schemas and actions that are read here. */
interface SchemaPart {
  kind: string;
  type: string;
  pipe?: readonly SchemaPart[];
  entries?: Record<string, SchemaPart>;
  item?: SchemaPart;
  wrapped?: SchemaPart;
  default?: unknown;
  options?: readonly unknown[];
  requirement?: unknown;
  operation?: (value: unknown) => unknown;
}

/** The check of one value. The steps of nested pipes are one list. With a function call for each step, there would be so many calls that the
 *  engine loads its optimizing compilers, which takes 5 MB. */
interface ValueCheck {
  mayBeMissing: boolean;
  steps: Step[];
}

interface Step {
  type: string;
  options?: SchemaPart['options'] | undefined;
  requirement?: unknown;
  operation?: SchemaPart['operation'] | undefined;
  items?: ValueCheck;
  keys?: Record<string, ValueCheck>;
  requiredKeys?: string[];
}

function prepareCheck(schema: unknown): ValueCheck {
  const part = schema as SchemaPart;
  if (part.type === 'optional' && !part.pipe) return { mayBeMissing: part.default === undefined, steps: prepareCheck(part.wrapped).steps };
  return { mayBeMissing: false, steps: listSteps(part) };
}

function listSteps(part: SchemaPart): Step[] {
  if (part.pipe) return part.pipe.flatMap(listSteps);
  if (part.kind === 'metadata') return [];
  const { type, options, requirement, operation, item, entries } = part;
  const keys = entries && Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, prepareCheck(entry)]));
  const step = { type, options, requirement, operation };
  if (item) return [{ ...step, items: prepareCheck(item) }];
  if (!keys) return [step];
  return [{ ...step, keys, requiredKeys: Object.keys(keys).filter((key) => !keys[key]!.mayBeMissing) }];
}

function accepts({ steps, mayBeMissing }: ValueCheck, value: unknown): boolean {
  if (value === undefined) return mayBeMissing;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    switch (step.type) {
      case 'string':
        if (typeof value !== 'string') return false;
        break;
      case 'min_length':
        if ((value as string).length < (step.requirement as number)) return false;
        break;
      case 'max_length':
        if ((value as string).length > (step.requirement as number)) return false;
        break;
      case 'check':
        if (!(step.requirement as (value: unknown) => boolean)(value)) return false;
        break;
      case 'regex':
        if (!(step.requirement as RegExp).test(value as string)) return false;
        break;
      case 'transform':
        if (step.operation!(value) !== value) return false;
        break;
      case 'picklist':
        if (!step.options!.includes(value)) return false;
        break;
      case 'array':
        if (!Array.isArray(value) || !acceptsItems(step.items!, value)) return false;
        break;
      case 'strict_object':
        if (typeof value !== 'object' || value === null || !acceptsKeys(step, value as Record<string, unknown>)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function acceptsItems(check: ValueCheck, items: unknown[]): boolean {
  for (let i = 0; i < items.length; i++) if (!accepts(check, items[i])) return false;
  return true;
}

function acceptsKeys({ keys, requiredKeys }: Step, value: Record<string, unknown>): boolean {
  for (const key in value) if (!Object.hasOwn(keys!, key) || !accepts(keys![key]!, value[key])) return false;
  for (let i = 0; i < requiredKeys!.length; i++) if (!(requiredKeys![i]! in value)) return false;
  return true;
}
