import type { Json } from '../app.ts';
import { joinTexts, type ModelApi, usage, writeEvents, writeJson } from './model-api.ts';

/** Gemini's generateContent, as Gemini CLI uses it. It has no ids for calls in all versions, so results are matched by order. */
export const geminiApi: ModelApi = {
  isConversation: ({ path, body }) => path.includes(':streamGenerateContent') && countFunctions(body) > 0,
  write: (reply) => writeEvents([createAnswer('text' in reply ? [{ text: reply.text }] : reply.calls.map(toFunctionCall))]),
  writeSide(request) {
    if (request.path.includes(':countTokens')) return writeJson({ totalTokens: usage.input });
    if (request.path.includes(':streamGenerateContent')) return geminiApi.write({ text: 'A task' }, request);
    return writeJson(createAnswer([{ text: '{}' }]));
  },
  readResults: (body) =>
    (body.contents.at(-1)?.parts ?? []).flatMap(({ functionResponse }: Json) =>
      functionResponse ? [{ id: functionResponse.id ?? '', text: readResponse(functionResponse.response) }] : [],
    ),
  readPrompt: (body) => joinTexts([body.systemInstruction, body.contents]),
  readTools: (body) => listFunctions(body).filter(({ name }) => /^mcp_cleo_/.test(name)),
};

const toFunctionCall = ({ id, name, args }: { id: string; name: string; args: Json }): object => ({ functionCall: { id, name, args } });

const createAnswer = (parts: object[]): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output, totalTokenCount: usage.input + usage.output },
});

const listFunctions = (body: Json): Json[] => (body.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? []);
const countFunctions = (body: Json): number => listFunctions(body).length;

/** The whole response is what the model reads; usually it has one text. */
const readResponse = (response: Json): string => {
  const [value, ...rest] = Object.values(response ?? {});
  return rest.length === 0 && typeof value === 'string' ? value : JSON.stringify(response);
};
