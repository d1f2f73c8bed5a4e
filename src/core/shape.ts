/** What a parameter's schema says of it, for flags, help, completion and messages. */
export interface Shape {
  name: string;
  type: 'text' | 'number' | 'flag' | 'list';
  isRequired: boolean;
  choices?: string[];
  about: string;
  /** What to print for its value: `T###`, `N`. */
  value?: string;
  /** What it is when it is left out, where the schema says so. */
  default?: string | number | boolean;
  /** Between the items of a list on the command line. */
  separator: string;
}

interface Node {
  type: string;
  kind?: string;
  wrapped?: Node;
  item?: Node;
  options?: unknown[];
  pipe?: Node[];
  description?: string;
  metadata?: Record<string, unknown>;
  default?: unknown;
  entries?: Record<string, Node>;
}

export function shapesOf(params: unknown): Shape[] {
  return Object.entries((params as Node).entries ?? {}).map(([name, node]) => shapeOf(name, node));
}

export function shapeOf(name: string, node: Node): Shape {
  const seen = { description: '', metadata: {} as Record<string, unknown> };
  const core = look(node, seen);
  const each = { description: '', metadata: {} as Record<string, unknown> };
  const item = core.type === 'array' && core.item ? look(core.item, each) : undefined;
  const options =
    (item ?? core).type === 'picklist' ? ((item ?? core).options as string[]) : (seen.metadata.choices as string[] | undefined);
  const value = seen.metadata.value ?? each.metadata.value;
  return {
    name,
    type: core.type === 'boolean' ? 'flag' : core.type === 'number' ? 'number' : core.type === 'array' ? 'list' : 'text',
    isRequired: node.type !== 'optional',
    ...(options ? { choices: options } : {}),
    about: seen.description,
    ...(typeof value === 'string' ? { value } : {}),
    ...(isPlain(node.default) ? { default: node.default } : {}),
    separator: typeof seen.metadata.separator === 'string' ? seen.metadata.separator : ',',
  };
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Unwraps `optional` and pipes down to the schema itself, gathering descriptions and metadata; the outermost wins. */
function look(node: Node, seen: { description: string; metadata: Record<string, unknown> }): Node {
  let ctx = node;
  for (;;) {
    for (const step of [...(ctx.pipe ?? [])].reverse()) {
      if (step.type === 'description') seen.description ||= step.description ?? '';
      if (step.type === 'metadata') seen.metadata = { ...step.metadata, ...seen.metadata };
    }
    const inner = ctx.wrapped ?? (ctx.pipe?.[0] !== ctx ? ctx.pipe?.[0] : undefined);
    if (!inner || inner === ctx) return ctx;
    // The first step of a pipe may be the same object spread out; descend only where it has something to add.
    if (!ctx.wrapped && !inner.pipe && !inner.wrapped) return ctx.type === 'optional' ? inner : ctx;
    ctx = inner;
  }
}
