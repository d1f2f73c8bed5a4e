import type { Json } from '../app.ts';
import { createId, joinTexts, type ModelApi, usage, writeEvents, writeJson } from './model-api.ts';

/** Requests for titles, topics and token counts offer few tools or none. */
const maxSideTools = 3;

const tokens = { input_tokens: usage.input, output_tokens: usage.output };

/** Anthropic Messages, as Claude Code uses it. */
export const anthropicApi: ModelApi = {
  isConversation: ({ path, body }) => /\/v1\/messages(\?|$)/.test(path) && (body.tools?.length ?? 0) > maxSideTools,
  write(reply) {
    const blocks =
      'text' in reply
        ? [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: reply.text } }]
        : reply.calls.map(({ id, name, args }) => ({
            start: { type: 'tool_use', id, name, input: {} },
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) },
          }));
    return writeEvents([
      { type: 'message_start', message: createMessage([]) },
      ...blocks.flatMap(({ start, delta }, index) => [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: 'text' in reply ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: tokens,
      },
      { type: 'message_stop' },
    ]);
  },
  writeSide(request) {
    if (request.path.includes('count_tokens')) return writeJson({ input_tokens: usage.input });
    if (!request.path.includes('/v1/messages')) return writeJson({});
    if (request.body.stream) return anthropicApi.write({ text: 'A task' }, request);
    return writeJson({ ...createMessage([{ type: 'text', text: 'A task' }]), stop_reason: 'end_turn' });
  },
  readResults: (body) =>
    (body.messages as Json[])
      .flatMap(({ content }) => content)
      .filter(({ type }: Json) => type === 'tool_result')
      .map(({ tool_use_id, content }: Json) => ({ id: tool_use_id, text: joinTexts(content) })),
  readPrompt: (body) => joinTexts([body.system, body.messages]),
  readTools: (body) => (body.tools ?? []).filter(({ name }: Json) => /^mcp__cleo__/.test(name)),
};

const createMessage = (content: object[]): object => ({
  id: createId('msg'),
  type: 'message',
  role: 'assistant',
  model: 'stand-in',
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: tokens,
});
