import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type ServerNotifier,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

// Tools, resources and prompts with fixed answers that the official suite requires in addition to a server's own. The SDK serves
// them through our HTTP stack, so that all tests of the suite run against it.

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Answer = CallToolResult | InputRequiredResult;
type Run = (args: Record<string, unknown>, ctx: ServerContext) => Answer | Promise<Answer>;

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const states = createRequestStateCodec<{ step: number }>({ key: 'a key for the conformance fixture only' });

/** Asks the user one question until it is answered. */
const form = (message: string, properties: Record<string, object>, required = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } as never });
const sample = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens });

/** The outcome of a form with the texts that the suite expects. */
function formResult(ctx: ServerContext, key: string, prefix: string): CallToolResult | undefined {
  const answer = inputResponse(ctx.mcpReq.inputResponses, key);
  return answer.kind === 'elicit' ? text(`${prefix}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`) : undefined;
}

const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const titled = (word: string) => ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${word}` }));
const options = ['option1', 'option2', 'option3'];
const enums = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

const name = { name: { type: 'string' } };
const askName = form('What is your name?', name);

function acceptedText(ctx: ServerContext, key: string, field: string): string | undefined {
  const value = acceptedContent(ctx.mcpReq.inputResponses, key)?.[field];
  return typeof value === 'string' ? value : undefined;
}

const tools: Record<string, Run> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  async test_tool_with_logging(_, ctx) {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', data);
      await pause(50);
    }
    return text('Tool with logging executed');
  },
  async test_tool_with_progress(_, ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause(50);
    }
    return text(String(progressToken));
  },
  async test_reconnection(_, ctx) {
    ctx.http?.closeSSE?.();
    await pause(100);
    return text('The stream was closed and the answer came all the same.');
  },
  test_missing_capability: () => inputRequired({ inputRequests: { answer: sample('Only for a client that samples') } }),
  async test_streaming_elicitation(_, ctx) {
    await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 0, progress: 1 } });
    return inputRequired({ inputRequests: { user_name: askName } });
  },
  async test_logging_tool(_, ctx) {
    await ctx.mcpReq.log('info', 'For those who asked for it');
    return text('Logged');
  },
  json_schema_2020_12_tool: (args) => text(JSON.stringify(args)),
  test_sampling(args, ctx) {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'answer');
    if (answer.kind !== 'sampling') return inputRequired({ inputRequests: { answer: sample(String(args.prompt)) } });
    const [content] = [answer.result.content].flat();
    return text(`LLM response: ${content?.type === 'text' ? content.text : ''}`);
  },
  test_elicitation: (args, ctx) =>
    formResult(ctx, 'answer', 'User response') ??
    inputRequired({ inputRequests: { answer: form(String(args.message), { response: { type: 'string' } }) } }),
  test_elicitation_sep1034_defaults: (_, ctx) =>
    formResult(ctx, 'answer', 'Elicitation completed') ??
    inputRequired({ inputRequests: { answer: form('Please review the form', defaults, []) } }),
  test_elicitation_sep1330_enums: (_, ctx) =>
    formResult(ctx, 'answer', 'Elicitation completed') ?? inputRequired({ inputRequests: { answer: form('Please choose', enums, []) } }),
  test_input_required_result_elicitation(_, ctx) {
    const given = acceptedText(ctx, 'user_name', 'name');
    return given === undefined ? inputRequired({ inputRequests: { user_name: askName } }) : text(`Hello, ${given}!`);
  },
  test_input_required_result_sampling(_, ctx) {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'capital_question');
    if (answer.kind !== 'sampling') return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
    return text(JSON.stringify(answer.result.content));
  },
  test_input_required_result_list_roots(_, ctx) {
    const answer = inputResponse(ctx.mcpReq.inputResponses, 'client_roots');
    return answer.kind === 'roots'
      ? text(answer.roots.map(({ uri }) => uri).join(', '))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  async test_input_required_result_request_state(_, ctx) {
    const state = ctx.mcpReq.requestState<{ step: number }>();
    if (state && acceptedContent(ctx.mcpReq.inputResponses, 'confirm')) return text('state-ok');
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      requestState: await states.mint({ step: 1 }, ctx),
    });
  },
  async test_input_required_result_multiple_inputs(_, ctx) {
    const given = ctx.mcpReq.inputResponses ?? {};
    if (['user_name', 'greeting', 'client_roots'].every((key) => inputResponse(given, key).kind !== 'missing')) return text('All there');
    return inputRequired({
      inputRequests: { user_name: askName, greeting: sample('Generate a greeting', 50), client_roots: inputRequired.listRoots() },
      requestState: await states.mint({ step: 1 }, ctx),
    });
  },
  async test_input_required_result_multi_round(_, ctx) {
    const step = ctx.mcpReq.requestState<{ step: number }>()?.step ?? 0;
    const [first, second] = [acceptedText(ctx, 'step1', 'name'), acceptedText(ctx, 'step2', 'color')];
    if (step === 2 && second !== undefined) return text(`Done: ${second}`);
    return step === 1 && first !== undefined
      ? inputRequired({
          inputRequests: { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
          requestState: await states.mint({ step: 2 }, ctx),
        })
      : inputRequired({
          inputRequests: { step1: form('Step 1: What is your name?', name) },
          requestState: await states.mint({ step: 1 }, ctx),
        });
  },
  async test_input_required_result_tampered_state(_, ctx) {
    if (ctx.mcpReq.requestState() && acceptedContent(ctx.mcpReq.inputResponses, 'confirm')) return text('The state is as it was');
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', { ok: { type: 'boolean' } }) },
      requestState: await states.mint({ step: 1 }, ctx),
    });
  },
  test_input_required_result_capabilities(_, ctx) {
    const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (ctx.mcpReq.envelope ?? {}) as Record<string, ClientCapabilities>;
    const { sampling, elicitation } = capabilities ?? {};
    const asked = {
      ...(elicitation ? { user_name: askName } : {}),
      ...(sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
    };
    return Object.keys(asked).length > 0 && !ctx.mcpReq.inputResponses ? inputRequired({ inputRequests: asked }) : text('Nothing to ask');
  },
};

/** Keywords of JSON Schema 2020-12 that must be passed through unchanged. */
const schema2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
const texts = (...names: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(names.map((each) => [each, { type: 'string' }])),
  required: names,
});
const inputs: Record<string, Tool['inputSchema']> = {
  json_schema_2020_12_tool: schema2020 as Tool['inputSchema'],
  test_sampling: texts('prompt'),
  test_elicitation: texts('message'),
};

const prompts: Record<
  string,
  { args?: string[]; get(args: Record<string, string>, ctx: ServerContext): GetPromptResult | InputRequiredResult }
> = {
  test_simple_prompt: { get: () => said('This is a simple prompt for testing.') },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    get: ({ resourceUri = '' }) => ({
      messages: [
        { role: 'user', content: resource(resourceUri, 'text/plain', 'Embedded resource content for testing.') },
        ...said('Please process the embedded resource above.').messages,
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({ messages: [{ role: 'user', content: image }, ...said('Please analyze the image above.').messages] }),
  },
  test_input_required_result_prompt: {
    get(_, ctx) {
      const context = acceptedText(ctx, 'user_context', 'context');
      return context === undefined
        ? inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', { context: { type: 'string' } }) } })
        : said(`In the context of ${context}`);
    },
  },
};
const said = (value: string): GetPromptResult => ({ messages: [{ role: 'user', content: { type: 'text', text: value } }] });

function read(uri: string): ReadResourceResult {
  const templated = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (templated !== undefined)
    return {
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id: templated, templateTest: true, data: `Data for ID: ${templated}` }),
        },
      ],
    };
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: pixel }] };
  if (uri === 'test://static-text' || uri === 'test://watched-resource')
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] };
  throw new ResourceNotFoundError(uri);
}

/** Notified when the suite requests a change; undefined without a listener. */
type Notify = Pick<ServerNotifier, 'toolsChanged' | 'promptsChanged'> | undefined;

export function fixtureServer(era: 'legacy' | 'modern', notify?: Notify): Server {
  const server = new Server(
    { name: 'cleo-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: states.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((each) => ({
      name: each,
      description: `Fixture ${each}`,
      inputSchema: inputs[each] ?? { type: 'object' },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    if (params.name === 'test_trigger_tool_change') notify?.toolsChanged();
    if (params.name === 'test_trigger_prompt_change') notify?.promptsChanged();
    const run = /^test_trigger_\w+_change$/.test(params.name) ? () => text('Changed') : tools[params.name];
    if (!run) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
    return run(params.arguments ?? {}, ctx);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: ['static-text', 'static-binary', 'watched-resource'].map((each) => ({
      uri: `test://${each}`,
      name: each,
      description: `Fixture ${each}`,
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([each, { args = [] }]) => ({
      name: each,
      description: `Fixture ${each}`,
      arguments: args.map((arg) => ({ name: arg, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = prompts[params.name];
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${params.name} not found`);
    return prompt.get(params.arguments ?? {}, ctx) as GetPromptResult;
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } }));
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
}

/** Serves the fixtures over HTTP: per request in 2026-07-28, per transport session before, because sampling and elicitation need one. */
export function fixtureHandler(): { handle(request: Request): Promise<Response>; close(): Promise<void> } {
  const modern = createMcpHandler(({ era }) => fixtureServer(era, modern.notify), { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    if (request.headers.has('mcp-session-id')) return new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
      eventStore: eventStore(),
      retryInterval: 500,
    });
    await fixtureServer('legacy').connect(transport);
    return transport.handleRequest(request);
  };
  return {
    handle: async (request) => ((await isLegacyRequest(request)) ? legacy(request) : modern.fetch(request)),
    async close() {
      await modern.close();
      for (const transport of sessions.values()) await transport.close();
    },
  };
}

/** Stores events in order for a client that reconnects after its stream was closed. */
function eventStore() {
  const events: { stream: string; message: unknown }[] = [];
  return {
    storeEvent: async (stream: string, message: unknown): Promise<string> => String(events.push({ stream, message }) - 1),
    async replayEventsAfter(last: string, { send }: { send: (id: string, message: never) => Promise<void> }): Promise<string> {
      const { stream } = events[Number(last)] ?? { stream: '' };
      for (const [i, event] of events.entries())
        if (i > Number(last) && event.stream === stream && Object.keys(event.message as object).length > 0)
          await send(String(i), event.message as never);
      return stream;
    },
  };
}
