// Formats the types of the web page's client: the parameters and the result of every operation.

/** Formats the file. `createJsonSchema` converts the schema of a definition. */
export function formatWebClient(operations, createJsonSchema) {
  const definitions = [];
  const rows = [...operations]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((operation) => {
      const id = toTypeName(operation.name);
      const toType = (schema, suffix) => {
        const { $defs = {}, ...rest } = createJsonSchema(schema);
        const toName = (name) => `${id}${suffix}${toTypeName(name)}`;
        for (const [name, definition] of Object.entries($defs))
          definitions.push(`type ${toName(name)} = ${formatType(definition, toName, '')};`);
        return formatType(rest, toName, '    ');
      };
      return [
        `  /** ${operation.summary.replaceAll('*/', '')} */`,
        `  '${operation.name}': {`,
        `    kind: '${operation.kind === 'query' ? 'query' : 'mutate'}';`,
        `    params: ${toType(operation.params, 'Params')};`,
        `    result: ${toType(operation.result, 'Result')};`,
        '  };',
      ].join('\n');
    });
  return [
    '// Generated from the operation definitions by scripts/index.mjs; not in git.\n',
    ...definitions,
    `\nexport interface Operations {\n${rows.join('\n')}\n}\n`,
    shared,
  ].join('\n');
}

const shared = `export type OperationName = keyof Operations;
export type QueryName = { [N in OperationName]: Operations[N]['kind'] extends 'query' ? N : never }[OperationName];
export type MutationName = Exclude<OperationName, QueryName>;
export type Params<N extends OperationName> = Operations[N]['params'];
export type Result<N extends OperationName> = Operations[N]['result'];

/** The records that a write changed. */
export interface Receipt {
  created?: string[];
  updated?: string[];
  deleted?: string[];
  dryRun?: true;
  count?: number;
}

export interface Meta {
  command: string;
  timestamp: string;
  version?: string;
  resultsField?: string;
  sessionId?: string;
  exitCode?: number;
  warnings?: string[];
  truncated?: { shown: number; total: number; atLeast?: true; next?: string };
  replayed?: true;
}

export interface CallError {
  code: string;
  exitCode: number;
  message: string;
  fix: string;
  details?: Record<string, unknown>;
  alternatives?: { action: string; command: string }[];
}

export interface Failure {
  _meta: Meta;
  success: false;
  error: CallError;
}
export type Success<N extends OperationName> = Result<N> & { _meta: Meta; success: true } & (N extends MutationName ? { data: Receipt } : object);
/** The answer of a call. */
export type Envelope<N extends OperationName> = Success<N> | Failure;
`;

const toTypeName = (name) => name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());

/** Formats a JSON Schema as a TypeScript type. `toName` names the types of its definitions. */
function formatType(schema, toName, indent) {
  const format = (node) => formatType(node, toName, indent);
  const union = (nodes) => [...new Set(nodes.map(format))].join(' | ') || 'never';
  if (schema === true) return 'unknown';
  if (schema.$ref) return toName(schema.$ref.replace('#/$defs/', ''));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf || schema.oneOf) return `(${union(schema.anyOf ?? schema.oneOf)})`;
  if (schema.allOf) return schema.allOf.map((part) => `(${format(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return `(${union(schema.type.map((type) => ({ ...schema, type })))})`;
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  if (schema.type === 'array') return formatArray(schema, format);
  if (schema.type === 'object' || schema.properties) return formatObject(schema, toName, indent);
  return 'unknown';
}

function formatArray({ items, prefixItems }, format) {
  if (prefixItems) return `[${prefixItems.map(format).join(', ')}]`;
  return `Array<${items ? format(items) : 'unknown'}>`;
}

function formatObject({ properties = {}, required = [], additionalProperties }, toName, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, value]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const isOptional = !required.includes(name) || 'default' in value;
    // Parameters may be passed as undefined, which JSON leaves out.
    return `${inner}${key}${isOptional ? '?' : ''}: ${formatType(value, toName, inner)}${isOptional ? ' | undefined' : ''};`;
  });
  if (lines.length > 0) return `{\n${lines.join('\n')}\n${indent}}`;
  if (additionalProperties === false) return 'Record<string, never>';
  return `Record<string, ${typeof additionalProperties === 'object' ? formatType(additionalProperties, toName, indent) : 'unknown'}>`;
}
