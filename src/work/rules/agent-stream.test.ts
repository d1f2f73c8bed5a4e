import { expect, test } from 'vitest';
import type { OutputFormat } from '../model/profile.ts';
import { parseAgentLine, startStream, stepStream } from './agent-stream.ts';

const read = (format: OutputFormat, lines: (object | string)[]) =>
  lines
    .flatMap((line) => parseAgentLine(format, typeof line === 'string' ? line : JSON.stringify(line)))
    .reduce((state, event) => stepStream(state, event), startStream);

test('reads the stream of Claude Code', () => {
  const assistant = (...content: object[]) => ({ type: 'assistant', message: { content, usage: { input_tokens: 1, output_tokens: 1 } } });
  const lines = [
    { type: 'system', subtype: 'init', tools: ['Bash'] },
    assistant({ type: 'text', text: 'I look first.' }, { type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }),
    { type: 'user', message: { content: [{ type: 'tool_result', content: 'ok' }] } },
    assistant({ type: 'text', text: 'Implementation complete.' }),
    {
      type: 'result',
      result: 'Implementation complete.',
      total_cost_usd: 0.25,
      usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 7 },
    },
  ];
  expect(read('claude-json', lines)).toMatchObject({
    lastMessage: 'Implementation complete.',
    usage: { inputTokens: 100, outputTokens: 7, costUsd: 0.25 },
  });
  expect(parseAgentLine('claude-json', JSON.stringify(lines[1]))[1]).toEqual({ type: 'tool', name: 'Bash', detail: 'npm test' });
});

test('counts the messages of Claude Code while it runs, each once', () => {
  const part = (id: string, text: string, input: number, output: number) => ({
    type: 'assistant',
    message: { id, content: [{ type: 'text', text }], usage: { input_tokens: input, cache_read_input_tokens: 10, output_tokens: output } },
  });
  const lines = [part('m1', 'I look', 5, 1), part('m1', 'first.', 5, 4), part('m2', 'Now the tests.', 7, 2)];
  expect(read('claude-json', lines).usage).toEqual({ inputTokens: 32, outputTokens: 6, costUsd: 0 });
  const result = { type: 'result', result: 'Done.', total_cost_usd: 0.25, usage: { input_tokens: 33, output_tokens: 6 } };
  expect(read('claude-json', [...lines, result]).usage).toEqual({ inputTokens: 33, outputTokens: 6, costUsd: 0.25 });
});

test('reads the stream of Codex and adds up its turns', () => {
  const turn = { type: 'turn.completed', usage: { input_tokens: 20, cached_input_tokens: 5, output_tokens: 3 } };
  const call = {
    type: 'item.completed',
    item: { type: 'mcp_tool_call', server: 'cleo', tool: 'cleo_mutate', arguments: { operation: 'add' } },
  };
  const lines = [{ type: 'thread.started' }, call, { type: 'item.completed', item: { type: 'agent_message', text: 'Done.' } }, turn, turn];
  expect(read('codex-json', lines)).toMatchObject({ lastMessage: 'Done.', usage: { inputTokens: 40, outputTokens: 6 } });
  expect(parseAgentLine('codex-json', JSON.stringify(call))).toEqual([{ type: 'tool', name: 'cleo.cleo_mutate', detail: 'add' }]);
  expect(parseAgentLine('codex-json', '{"type":"turn.failed","error":{"message":"no credit"}}')).toEqual([
    { type: 'error', text: 'no credit' },
  ]);
});

test('joins the parts of a message of Gemini CLI', () => {
  const part = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });
  const lines = [
    { type: 'message', role: 'user', content: 'go' },
    part('First.'),
    { type: 'tool_use', tool_name: 'read_file', parameters: { path: 'a.ts' } },
    part('Implementation '),
    part('complete.'),
    { type: 'result', status: 'success', stats: { total_tokens: 30, input_tokens: 25, output_tokens: 5 } },
  ];
  expect(read('gemini-json', lines)).toMatchObject({
    lastMessage: 'Implementation complete.',
    usage: { inputTokens: 25, outputTokens: 5 },
  });
});

test('reads the stream of OpenCode', () => {
  const lines = [
    { type: 'step_start', part: {} },
    { type: 'tool_use', part: { tool: 'bash', state: { status: 'completed', input: { command: 'ls' } } } },
    { type: 'text', part: { text: 'Done.' } },
    { type: 'step_finish', part: { cost: 0.5, tokens: { input: 4, output: 2, reasoning: 1, cache: { read: 6, write: 0 } } } },
  ];
  expect(read('opencode-json', lines)).toMatchObject({ lastMessage: 'Done.', usage: { inputTokens: 10, outputTokens: 3, costUsd: 0.5 } });
});

test('takes the last line of a text as the message', () => {
  expect(read('text', ['working …', 'Implementation complete.', ''])).toMatchObject({ lastMessage: 'Implementation complete.' });
});

test.each<OutputFormat>(['claude-json', 'codex-json', 'gemini-json', 'opencode-json'])('ignores what is not an event of %s', (format) => {
  const odd = [
    'warning: old version',
    '[]',
    'null',
    '{"type":5}',
    '{"type":"assistant"}',
    '{"type":"result","usage":7}',
    '{"type":"text","part":[]}',
  ];
  expect(read(format, odd).lastMessage).toBe('');
  expect(read(format, odd).usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
});
