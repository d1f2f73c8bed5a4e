import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { callTool } from '../../src/surfaces/mcp/tools.ts';
import { type Json, openApp, type TestApp } from '../app.ts';
import { joinAnswer } from '../mcp-client.ts';
import { createMcpApp } from '../mcp-surfaces.ts';
import { cliMistakes } from './mistakes/cli.ts';
import { mcpMistakes } from './mistakes/mcp.ts';
import { type Mistake, mistakeWorld } from './mistakes/mistake.ts';

type Outcome = 'works' | 'retry' | 'neither';
type Send = (call: Mistake['call'], tool?: Mistake['tool']) => Promise<Json>;

const outcomes: Record<'cli' | 'mcp', Record<Outcome, string[]>> = {
  cli: { works: [], retry: [], neither: [] },
  mcp: { works: [], retry: [], neither: [] },
};

const format = ({ call }: Mistake): string => (typeof call === 'string' ? `cleo ${call}` : JSON.stringify(call));
const toRows = (mistakes: Mistake[]) => mistakes.map((mistake) => [format(mistake), mistake] as const);

test.each(toRows(cliMistakes))('%s writes only what it asks for', async (name, mistake) => {
  const app = await openApp({ tasks: mistakeWorld });
  const send: Send = async (call) => (await app.cli(`cleo ${call} --json`.replace(/^cleo cleo/, 'cleo'))).envelope;
  const retry = ({ error }: Json): Promise<Json> => send(error.fix);
  outcomes.cli[await follow(app, mistake, send, retry)].push(name);
});

test.each(toRows(mcpMistakes))('%s writes only what it asks for', async (name, mistake) => {
  const app = await openApp({ tasks: mistakeWorld });
  const mcp = createMcpApp(app, true);
  const ctx = { mcpReq: { signal: new AbortController().signal } } as ServerContext;
  const send: Send = async (call, tool) => {
    const { structuredContent, _meta } = await callTool({ app: mcp }, `cleo_${tool}`, call, ctx);
    return joinAnswer(structuredContent as Json, _meta?.['cleo/envelope'] as Json);
  };
  const retry = ({ error }: Json): Promise<Json> => {
    const { tool, ...call } = error.call ?? { tool: 'cleo_query', domain: 'admin', operation: 'help' };
    return send(call, tool.replace('cleo_', ''));
  };
  outcomes.mcp[await follow(app, mistake, send, retry)].push(name);
});

/** Makes the call, and if it fails, the one call that the answer names. Every write must be the one that was meant. */
async function follow(app: TestApp, mistake: Mistake, send: Send, retry: (answer: Json) => Promise<Json>): Promise<Outcome> {
  const last = await readLastEntry(app);
  const first = await send(mistake.call, mistake.tool);
  const isFirst = isMeant(mistake, first);
  const second = isFirst || first.success ? undefined : await retry(first);
  const isSecond = second !== undefined && isMeant(mistake, second);
  const writes = (await app.store.read((reads) => reads.audit.listAfter(last, 100))).filter(({ success }) => success);
  const asked = isFirst || isSecond ? [mistake.means] : [];
  for (const { domain, operation } of writes) expect(asked).toContain(`${domain}.${operation}`);
  return isFirst ? 'works' : isSecond ? 'retry' : 'neither';
}

function isMeant({ means, gives }: Mistake, answer: Json): boolean {
  try {
    expect(answer).toMatchObject({ success: true, _meta: { command: means }, ...gives });
    return true;
  } catch {
    return false;
  }
}

const readLastEntry = async ({ store }: TestApp): Promise<number> =>
  (await store.read((reads) => reads.audit.list({}, { limit: 1, offset: 0 })))[0]?.seq ?? 0;

test('at least 60 % of the mistakes work at once, and all after one retry', () => {
  const report = Object.entries(outcomes).map(([surface, { works, retry, neither }]) => {
    const total = works.length + retry.length + neither.length;
    return { surface, total, works: works.length, retry: retry.length, neither };
  });
  console.info(
    report
      .map(
        ({ surface, total, works, retry, neither }) =>
          `${surface}: ${total} mistakes, ${works} work (${Math.round((100 * works) / total)} %), ${retry} after one retry, ${neither.length} not: ${neither.join('; ')}`,
      )
      .join('\n'),
  );
  for (const { total, works, neither } of report) {
    expect(neither).toEqual([]);
    expect(total).toBeGreaterThanOrEqual(120);
    expect(works / total).toBeGreaterThanOrEqual(0.6);
  }
});
