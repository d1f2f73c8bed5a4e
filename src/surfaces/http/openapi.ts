import { getErrorCatalog } from '#admin/all-errors.ts';
import type { Operation, Params, Registry } from '#core/define.ts';
import { describeScope } from '#core/describe-scope.ts';
import { createJsonSchema } from '#core/model/json-schema.ts';

type Node = Record<string, unknown>;

/** Creates the OpenAPI 3.1 document of the HTTP surface from the operation definitions. */
export async function createOpenApi(registry: Registry, version: string): Promise<Node> {
  const schemas: Node = { Meta: meta, Error: failure, Call: call };
  const paths: Node = {};
  for (const entry of registry.entries) {
    const operation = await entry.load();
    const result = (await operation.lazyResult?.load()) ?? operation.result!;
    paths[getPath(operation)] = { post: describeOperation(operation, result, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'CLEO',
      version,
      description: 'Every operation is a POST with its parameters as a JSON object; the answer is the envelope.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    // Local callers need no token by default, hence the empty alternative.
    security: [{ token: [] }, {}],
    tags: [...new Set(registry.entries.map(({ name }) => name.split('.', 1)[0]))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(Object.entries(commonErrors).map(([status, codes]) => [`E${status}`, createErrorResponse(codes)])),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The secret that cleo token create prints once' } },
      parameters: {
        Session: createHeader('Cleo-Session', 'The session the call belongs to'),
        Agent: createHeader('Cleo-Agent', 'The calling agent; by default the name of the token, or http'),
        IdempotencyKey: createHeader('Idempotency-Key', 'Repeating a key returns the same answer and has no second effect'),
      },
    },
  };
}

const getGateway = ({ kind }: Operation): 'query' | 'mutate' => (kind === 'query' ? 'query' : 'mutate');

export const getPath = (operation: Operation): string => `/api/${getGateway(operation)}/${operation.name.replace('.', '/')}`;

function describeOperation(operation: Operation, resultSchema: Params, schemas: Node): Node {
  const id = operation.name.replace(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const isWrite = operation.kind !== 'query';
  const result = hoistDefinitions(createJsonSchema(resultSchema), `${id}Result`, schemas) as { properties?: Node; required?: string[] };
  schemas[`${id}Result`] = {
    type: 'object',
    properties: { _meta: toRef('Meta'), success: { const: true }, ...result.properties, ...(isWrite ? { data: receipt } : {}) },
    required: ['_meta', 'success', ...(result.required ?? []), ...(isWrite ? ['data'] : [])],
  };
  const params = hoistDefinitions(createJsonSchema(operation.params), `${id}Params`, schemas);
  return {
    operationId: id,
    summary: operation.summary,
    tags: [operation.name.split('.', 1)[0]],
    parameters: ['Session', 'Agent', ...(isWrite ? ['IdempotencyKey'] : [])].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema: params, example: operation.example.call } } },
    responses: {
      200: { description: 'Success; _meta.exitCode is set if it is not 0', ...toJsonContent(toRef(`${id}Result`)) },
      ...listErrorResponses(operation),
    },
    ...(operation.scope || operation.usesHost ? { description: `Scope: ${describeScope(operation)}.` } : {}),
  };
}

/** Errors that any call can return. */
const commonErrors: Record<string, string[]> = {
  400: ['E_INVALID_INPUT'],
  401: ['E_UNAUTHORIZED'],
  403: ['E_FORBIDDEN'],
  413: ['E_VALIDATION_BODY'],
  415: ['E_INVALID_INPUT'],
  422: ['E_VALIDATION'],
  429: ['E_TOO_MANY_REQUESTS'],
  500: ['E_GENERAL_ERROR', 'E_FILE_ERROR'],
  503: ['E_LOCK_TIMEOUT'],
};

/** Lists the common errors and those of this operation, by HTTP status. */
function listErrorResponses(operation: Operation): Node {
  const own: Record<string, string[]> = {};
  for (const code of operation.errors) {
    const { http } = getErrorCatalog()[code];
    if (!commonErrors[http]?.includes(code)) own[http] = [...(own[http] ?? commonErrors[http] ?? []), code];
  }
  const shared = Object.keys(commonErrors).map((status) => [status, { $ref: `#/components/responses/E${status}` }]);
  return {
    ...Object.fromEntries(shared),
    ...Object.fromEntries(Object.entries(own).map(([status, codes]) => [status, createErrorResponse(codes)])),
  };
}

const createErrorResponse = (codes: string[]): Node => ({ description: codes.join(', '), ...toJsonContent(toRef('Error')) });

/** Moves the `$defs` of a schema to the components of the document, and rewrites the references to them. */
function hoistDefinitions(schema: object, id: string, schemas: Node): Node {
  const { $defs, ...rest } = schema as Node;
  const rewrite = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rewrite);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [
        key,
        key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', `#/components/schemas/${id}`) : rewrite(value),
      ]),
    );
  };
  for (const [name, definition] of Object.entries(($defs as Node | undefined) ?? {})) schemas[`${id}${name}`] = rewrite(definition);
  return rewrite(rest) as Node;
}

const toRef = (name: string): Node => ({ $ref: `#/components/schemas/${name}` });
const toJsonContent = (schema: Node): Node => ({ content: { 'application/json': { schema } } });
const createHeader = (name: string, description: string): Node => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', maxLength: 100 },
});
const texts = { type: 'array', items: { type: 'string' } };

const meta = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'The name of the operation' },
    timestamp: { type: 'string', format: 'date-time' },
    version: { type: 'string' },
    resultsField: { type: 'string', description: 'The key that holds the primary data' },
    sessionId: { type: 'string' },
    exitCode: { type: 'integer', description: 'Set if it is not 0' },
    warnings: texts,
    truncated: {
      type: 'object',
      properties: { shown: { type: 'integer' }, total: { type: 'integer' }, atLeast: { const: true } },
      required: ['shown', 'total'],
    },
    replayed: { const: true },
  },
  required: ['command', 'timestamp'],
};

const receipt = {
  type: 'object',
  description: 'Records that the write changed',
  properties: { created: texts, updated: texts, deleted: texts, dryRun: { const: true }, count: { type: 'integer' } },
};

const call = {
  type: 'object',
  description: 'The call that a command line stands for: POST /api/query/… for cleo_query, /api/mutate/… for cleo_mutate',
  properties: {
    tool: { enum: ['cleo_query', 'cleo_mutate'] },
    domain: { type: 'string' },
    operation: { type: 'string' },
    params: { type: 'object', description: 'The body' },
    session: { type: 'string', description: 'The header Cleo-Session' },
    agent: { type: 'string', description: 'The header Cleo-Agent' },
    idempotencyKey: { type: 'string', description: 'The header Idempotency-Key' },
  },
  required: ['tool', 'domain', 'operation', 'params'],
};

const failure = {
  type: 'object',
  properties: {
    _meta: toRef('Meta'),
    success: { const: false },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        exitCode: { type: 'integer' },
        message: { type: 'string' },
        fix: { type: 'string', description: 'A command line that fixes the error' },
        call: toRef('Call'),
        alternatives: {
          type: 'array',
          items: {
            type: 'object',
            properties: { action: { type: 'string' }, command: { type: 'string' }, call: toRef('Call') },
            required: ['action', 'command'],
          },
        },
        details: {
          type: 'object',
          properties: { manual: { type: 'string', description: 'What a person must do, if no call fixes the error' } },
        },
      },
      required: ['code', 'exitCode', 'message', 'fix'],
    },
  },
  required: ['_meta', 'success', 'error'],
};
