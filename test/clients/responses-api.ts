import type { Json } from '../app.ts';
import { createId, joinTexts, type ModelApi, usage, writeEvents, writeJson } from './model-api.ts';

/** OpenAI Responses, as Codex uses it. */
export const responsesApi: ModelApi = {
  isConversation: ({ path, body }) => /\/responses(\?|$)/.test(path) && (body.tools?.length ?? 0) > 0,
  write(reply) {
    const items =
      'text' in reply
        ? [{ type: 'message', role: 'assistant', id: createId('msg'), content: [{ type: 'output_text', text: reply.text }] }]
        : reply.calls.map(({ id, name, namespace, args }) => ({
            type: 'function_call',
            id: `fc_${id}`,
            call_id: id,
            name,
            ...(namespace ? { namespace } : {}),
            arguments: JSON.stringify(args),
          }));
    const responseId = createId('resp');
    return writeEvents([
      { type: 'response.created', response: { id: responseId } },
      ...items.map((item) => ({ type: 'response.output_item.done', item })),
      {
        type: 'response.completed',
        response: {
          id: responseId,
          usage: {
            input_tokens: usage.input,
            input_tokens_details: null,
            output_tokens: usage.output,
            output_tokens_details: null,
            total_tokens: usage.input + usage.output,
          },
        },
      },
    ]);
  },
  writeSide: (request) =>
    request.path.includes('/responses') ? responsesApi.write({ text: 'A task' }, request) : writeJson({ data: [], models: [] }),
  readResults: (body) =>
    body.input
      .filter(({ type }: Json) => type === 'function_call_output')
      .map(({ call_id, output }: Json) => ({ id: call_id, text: joinTexts(output) })),
  readPrompt: (body) => joinTexts([body.instructions, body.input]),
  readTools: (body) =>
    (body.tools ?? []).flatMap((tool: Json) =>
      tool.type === 'namespace' && tool.name === 'mcp__cleo' ? tool.tools : /^cleo_(query|mutate)$/.test(tool.name ?? '') ? [tool] : [],
    ),
};
