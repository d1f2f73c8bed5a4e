import { defined } from '#lib/collections.ts';

/** A parameter as its schema describes it, for flags, help, completion and messages. */
export interface ParamShape {
  name: string;
  type: 'text' | 'number' | 'flag' | 'list';
  isRequired: boolean;
  choices?: string[];
  about: string;
  /** The placeholder of the value: `T###`, `N`. */
  value?: string;
  /** The form of a text that has one: `commit:SHA|files:A,B`. */
  form?: string;
  /** Few calls need it, so signatures leave it out; `admin.help {operation}` has it. */
  isRare?: boolean;
  /** The default value in the schema. */
  default?: string | number | boolean;
  /** Separates the items of a list on the command line. */
  separator: string;
}

interface SchemaNode {
  type: string;
  kind?: string;
  wrapped?: SchemaNode;
  item?: SchemaNode;
  options?: unknown[];
  pipe?: SchemaNode[];
  description?: string;
  metadata?: Record<string, unknown>;
  default?: unknown;
  entries?: Record<string, SchemaNode>;
}

export function describeParams(params: unknown): ParamShape[] {
  return Object.entries((params as SchemaNode).entries ?? {}).map(([name, node]) => describeParam(name, node));
}

/** Describes one parameter; undefined if there is none of this name. */
export function findParam(params: unknown, name: string): ParamShape | undefined {
  const node = (params as SchemaNode).entries?.[name];
  return node && describeParam(name, node);
}

function describeParam(name: string, node: SchemaNode): ParamShape {
  const seen = { description: '', metadata: {} as Record<string, unknown> };
  const core = unwrapSchema(node, seen);
  const each = { description: '', metadata: {} as Record<string, unknown> };
  const item = core.type === 'array' && core.item ? unwrapSchema(core.item, each) : undefined;
  const options =
    (item ?? core).type === 'picklist' ? ((item ?? core).options as string[]) : (seen.metadata.choices as string[] | undefined);
  const value = seen.metadata.value ?? each.metadata.value ?? (core.type === 'union' ? findOptionValue(core) : undefined);
  const type: ParamShape['type'] =
    core.type === 'boolean' ? 'flag' : core.type === 'number' ? 'number' : core.type === 'array' ? 'list' : 'text';
  return defined({
    name,
    type,
    isRequired: node.type !== 'optional' || seen.metadata.isRequired === true,
    choices: options,
    about: seen.description,
    value: typeof value === 'string' ? value : undefined,
    form: seen.metadata.form as string | undefined,
    isRare: seen.metadata.isRare as boolean | undefined,
    default: isScalar(node.default) ? node.default : undefined,
    separator: typeof seen.metadata.separator === 'string' ? seen.metadata.separator : ',',
  });
}

/** Returns the placeholder of the first option that has one, such as the id in `none` or an id. */
function findOptionValue({ options = [] }: SchemaNode): unknown {
  const steps = (options as SchemaNode[]).flatMap((option) => option?.pipe ?? []);
  return steps.find((step) => step.metadata?.value !== undefined)?.metadata?.value;
}

const isScalar = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Unwraps `optional` and pipes down to the schema itself and collects descriptions and metadata; the outermost ones win. */
function unwrapSchema(node: SchemaNode, seen: { description: string; metadata: Record<string, unknown> }): SchemaNode {
  let schema = node;
  for (;;) {
    for (const step of [...(schema.pipe ?? [])].reverse()) {
      if (step.type === 'description') seen.description ||= step.description ?? '';
      if (step.type === 'metadata') seen.metadata = { ...step.metadata, ...seen.metadata };
    }
    const inner = schema.wrapped ?? (schema.pipe?.[0] !== schema ? schema.pipe?.[0] : undefined);
    if (!inner || inner === schema) return schema;
    // The first step of a pipe may be a copy of the pipe itself; it is followed only if it contains more.
    if (!schema.wrapped && !inner.pipe && !inner.wrapped) return schema.type === 'optional' ? inner : schema;
    schema = inner;
  }
}
