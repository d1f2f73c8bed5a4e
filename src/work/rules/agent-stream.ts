import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { AgentEvent, StreamState, Usage } from '../model/agent-event.ts';
import type { OutputFormat } from '../model/profile.ts';

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export const startStream: StreamState = { usage: noUsage, lastMessage: '', isInMessage: false };

/** Adds an event to the state of its stream. */
export function stepStream(state: StreamState, event: AgentEvent): StreamState {
  switch (event.type) {
    case 'message':
      return { ...state, lastMessage: state.isInMessage && event.isPart ? state.lastMessage + event.text : event.text, isInMessage: true };
    case 'usage':
      return countUsage(state, event);
    default:
      return { ...state, isInMessage: false };
  }
}

function countUsage(state: StreamState, { usage, isTotal, messageId }: AgentEvent & { type: 'usage' }): StreamState {
  if (isTotal) return { ...state, usage };
  if (messageId === undefined) return { ...state, usage: addUsage(state.usage, usage) };
  const before = state.counted?.messageId === messageId ? state.counted.before : state.usage;
  return { ...state, usage: addUsage(before, usage), counted: { messageId, before } };
}

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  costUsd: a.costUsd + b.costUsd,
});

/** Parses one line of an agent's standard output. A line that is no event of the format gives none: clients print warnings, too. */
export function parseAgentLine(format: OutputFormat, line: string): AgentEvent[] {
  if (line.trim() === '') return [];
  if (format === 'text') return [{ type: 'message', text: line }];
  const value = parseJson(line);
  return isPlainObject(value) ? parsers[format](value as Fields) : [];
}

type Fields = Record<string, unknown>;

const parsers: Record<Exclude<OutputFormat, 'text'>, (fields: Fields) => AgentEvent[]> = {
  'claude-json': parseClaude,
  'codex-json': parseCodex,
  'gemini-json': parseGemini,
  'opencode-json': parseOpencode,
};

/** `claude -p --output-format stream-json`. The last line has the figures of the whole conversation. Those of the messages count until it
 *  comes, and for a conversation that is ended before. */
function parseClaude({ type, message, result, usage, total_cost_usd: cost, is_error: isError }: Fields): AgentEvent[] {
  if (type === 'assistant') {
    const { content, id, usage: own } = toRecord(message);
    const events = toRecords(content).flatMap((part): AgentEvent[] => {
      if (part.type === 'text') return toMessage(part.text);
      return part.type === 'tool_use' ? [toTool(part.name, part.input)] : [];
    });
    return typeof id === 'string' ? [...events, { type: 'usage', usage: toClaudeUsage(own), messageId: id }] : events;
  }
  if (type !== 'result') return [];
  return [
    ...(isError === true ? toError(result) : toMessage(result)),
    { type: 'usage', usage: { ...toClaudeUsage(usage), costUsd: toCount(cost) }, isTotal: true },
  ];
}

function toClaudeUsage(value: unknown): Usage {
  const counts = toRecord(value);
  const inputTokens = toCount(counts.input_tokens) + toCount(counts.cache_creation_input_tokens) + toCount(counts.cache_read_input_tokens);
  return { inputTokens, outputTokens: toCount(counts.output_tokens), costUsd: 0 };
}

/** `codex exec --json`. */
function parseCodex({ type, item, usage, error, message }: Fields): AgentEvent[] {
  const part = toRecord(item);
  if (type === 'item.completed' && part.type === 'agent_message') return toMessage(part.text);
  if (type === 'item.completed' && part.type === 'error') return toError(part.message);
  if (type === 'item.completed' && typeof part.type === 'string' && part.type !== 'reasoning') {
    const name = part.type === 'mcp_tool_call' ? `${part.server}.${part.tool}` : part.type;
    return [toTool(name, part.command ?? part.arguments ?? part.changes ?? part.query)];
  }
  if (type === 'turn.failed') return toError(toRecord(error).message);
  if (type === 'error') return toError(message);
  if (type !== 'turn.completed') return [];
  const counts = toRecord(usage);
  return [{ type: 'usage', usage: { inputTokens: toCount(counts.input_tokens), outputTokens: toCount(counts.output_tokens), costUsd: 0 } }];
}

/** `gemini --output-format stream-json`. A message arrives in parts. */
function parseGemini({ type, role, content, delta, tool_name: tool, parameters, stats, message }: Fields): AgentEvent[] {
  if (type === 'message' && role === 'assistant' && typeof content === 'string')
    return [{ type: 'message', text: content, ...(delta === true ? { isPart: true } : {}) }];
  if (type === 'tool_use') return [toTool(tool, parameters)];
  if (type === 'error') return toError(message);
  if (type !== 'result') return [];
  const counts = toRecord(stats);
  return [
    {
      type: 'usage',
      usage: { inputTokens: toCount(counts.input_tokens), outputTokens: toCount(counts.output_tokens), costUsd: 0 },
      isTotal: true,
    },
  ];
}

/** `opencode run --format json`. */
function parseOpencode({ type, part: given, error }: Fields): AgentEvent[] {
  const part = toRecord(given);
  if (type === 'text') return toMessage(part.text);
  if (type === 'tool_use') return [toTool(part.tool, toRecord(part.state).input)];
  if (type === 'error') return toError(toRecord(toRecord(error).data).message ?? toRecord(error).name);
  if (type !== 'step_finish') return [];
  const tokens = toRecord(part.tokens);
  const cache = toRecord(tokens.cache);
  return [
    {
      type: 'usage',
      usage: {
        inputTokens: toCount(tokens.input) + toCount(cache.read) + toCount(cache.write),
        outputTokens: toCount(tokens.output) + toCount(tokens.reasoning),
        costUsd: toCount(part.cost),
      },
    },
  ];
}

const maxDetailLength = 300;

/** Describes a tool call by its command, its file or its first other arguments. */
function toTool(name: unknown, input: unknown): AgentEvent {
  const fields = toRecord(input);
  const main = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'operation'].map((key) => fields[key]);
  const found = typeof input === 'string' ? input : main.find((value) => typeof value === 'string');
  const detail = found ?? (input === undefined ? '' : JSON.stringify(input));
  return { type: 'tool', name: String(name), detail: String(detail).slice(0, maxDetailLength) };
}

const toMessage = (text: unknown): AgentEvent[] => (typeof text === 'string' && text.trim() !== '' ? [{ type: 'message', text }] : []);
const toError = (text: unknown): AgentEvent[] => (typeof text === 'string' && text !== '' ? [{ type: 'error', text }] : []);
const toRecord = (value: unknown): Fields => (isPlainObject(value) ? (value as Fields) : {});
const toRecords = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(toRecord) : []);
const toCount = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0);
