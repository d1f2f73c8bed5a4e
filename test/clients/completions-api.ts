import type { Json } from '../app.ts';
import { createId, joinTexts, type ModelApi, usage, writeEvents, writeJson } from './model-api.ts';

/** OpenAI chat completions, as OpenCode uses it. */
export const completionsApi: ModelApi = {
  isConversation: ({ path, body }) => path.includes('/chat/completions') && (body.tools?.length ?? 0) > 0,
  write(reply) {
    const delta =
      'text' in reply
        ? { role: 'assistant', content: reply.text }
        : {
            role: 'assistant',
            tool_calls: reply.calls.map(({ id, name, args }, index) => ({
              index,
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          };
    const id = createId('chatcmpl');
    return writeEvents(
      [
        createChunk(id, [{ index: 0, delta, finish_reason: null }]),
        createChunk(id, [{ index: 0, delta: {}, finish_reason: 'text' in reply ? 'stop' : 'tool_calls' }]),
        {
          ...createChunk(id, []),
          usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
        },
      ],
      'data: [DONE]\n\n',
    );
  },
  writeSide: (request) =>
    request.path.includes('/chat/completions') ? completionsApi.write({ text: 'A task' }, request) : writeJson({ data: [] }),
  readResults: (body) =>
    body.messages
      .filter(({ role }: Json) => role === 'tool')
      .map(({ tool_call_id, content }: Json) => ({ id: tool_call_id, text: joinTexts(content) })),
  readPrompt: (body) => joinTexts(body.messages),
  readTools: (body) => (body.tools ?? []).filter((tool: Json) => /^cleo_cleo_/.test(tool.function?.name ?? '')),
};

const createChunk = (id: string, choices: object[]): object => ({ id, object: 'chat.completion.chunk', created: 1, model: 'm', choices });
