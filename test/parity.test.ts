import { parse } from 'valibot';
import { expect, test } from 'vitest';
import { toArgv } from '../src/core/command-line.ts';
import type { Operation } from '../src/core/define.ts';
import { registry } from '../src/core/index.generated.ts';
import { describeParams } from '../src/core/shape.ts';
import { estimateTokens } from '../src/lib/tokens.ts';
import { version } from '../src/version.ts';
import { type Json, openApp, type TestApp } from './app.ts';
import { runCleo } from './built-cli.ts';
import { callOverHttp } from './http-server.ts';
import { mcpSurfaces } from './mcp-surfaces.ts';
import { countRealTokens } from './real-tokens.ts';

interface Answer {
  envelope: Json;
  exitCode: number | null;
}

/** Every way into an operation; a new surface is a new line. */
const doors: Record<string, (app: TestApp, operation: Operation, params: Record<string, unknown>) => Promise<Answer>> = {
  dispatch: ({ reply }, operation, params) => reply(operation.name, params),
  cli: async ({ root, env }, operation, params) => {
    const { argv, stdin } = toArgv(operation, params);
    const { out, err, exitCode } = await runCleo(['--json', ...argv], { cwd: root, env, ...(stdin === undefined ? {} : { stdin }) });
    expect(err).toBe('');
    expect(out).toMatch(/^\{.*\}\n$/);
    return { envelope: JSON.parse(out), exitCode };
  },
  ...mcpSurfaces,
  http: callOverHttp,
};

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
// A call that lacks the very parameter that selects its operation is a call of another one; so are words that mean another when they stand alone.
const alone = registry.entries.flatMap((entry) => (entry.isDefault ? entry.commands : []));
const needy = operations.filter(
  ({ params, cli }) =>
    describeParams(params).some(({ isRequired }) => isRequired) &&
    !describeParams(params).some(({ isRequired, name }) => isRequired && name === cli.select) &&
    !alone.includes([cli.command].flat()[0]!),
);
const byName = (all: Operation[]) => all.map((operation) => [operation.name, operation] as const);

test.each(byName(operations))('%s gives the same answer through every door, and what it promises', async (_, operation) => {
  const { call, world, exit = 0 } = operation.example;
  for (const { envelope, exitCode } of await throughAll(operation, call, world)) {
    expect(exitCode).toBe(exit);
    expect(envelope).toMatchObject({ _meta: { command: operation.name }, success: isAnswer(exit) });
    checkPromise(operation, envelope);
    const printed = JSON.stringify(envelope);
    expect(estimateTokens(printed)).toBeGreaterThanOrEqual(countRealTokens(printed));
  }
});

test.each(byName(needy))('%s refuses a call without its parameters the same through every door', async (_, operation) => {
  for (const { envelope, exitCode } of await throughAll(operation, {})) {
    expect(envelope).toMatchObject({ _meta: { exitCode: 2 }, success: false, error: { code: 'E_INVALID_INPUT' } });
    expect(exitCode).toBe(2);
  }
});

/** 100-102 and the states of the context window are no refusals. */
const isAnswer = (exit: number): boolean => exit === 0 || (exit >= 100 && exit <= 102) || (exit >= 50 && exit <= 54);

/** The answers of all doors, each in a fresh world; they are the same but for what must differ. */
async function throughAll(operation: Operation, params: Record<string, unknown>, tasks: string[] = []): Promise<Answer[]> {
  const answers: Answer[] = [];
  const compared: Record<string, unknown> = {};
  for (const [door, call] of Object.entries(doors)) {
    const app = await openApp({ tasks });
    const answer = await call(app, operation, params);
    answers.push(answer);
    compared[door] = comparable(answer.envelope, app.root);
  }
  for (const door of Object.keys(doors)) expect(compared[door], door).toEqual(compared.dispatch);
  return answers;
}

/** An answer is exactly what the definition says, every key and no other; a refusal is one of those it names. */
function checkPromise(operation: Operation, envelope: Json): void {
  const { _meta: meta, success, data, ...result } = envelope;
  if (!success) {
    expect(operation.errors).toContain(result.error.code.replace(/^E_SKILL_\w+$/, 'E_SKILL'));
    return;
  }
  parse(operation.result, result);
  expect(result).toHaveProperty(meta.resultsField);
  if (operation.kind === 'query') expect(data).toBeUndefined();
  else expect(data).toBeTypeOf('object');
}

/** Without what must differ from call to call: the moment, the session, durations, the folder, its key and what its name costs in tokens; a test's house has a version of its own. */
function comparable(envelope: Json, root: string): unknown {
  const { timestamp: _, sessionId: __, ...meta } = envelope._meta;
  const born = '2026-01-01T00:00:00.000Z';
  const text = JSON.stringify({ ...envelope, _meta: meta }, (key, value) =>
    /Ms$|^promptTokens$/.test(key) && typeof value === 'number' ? 0 : value,
  );
  return JSON.parse(
    text
      .replaceAll(JSON.stringify(root).slice(1, -1), '<root>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => (time === born ? time : '<now>'))
      .replace(/\d{8}T\d{9}Z/g, '<now>')
      .replace(/\bt\d+_[a-z0-9]{1,8}\b/g, '<key>')
      .replace(/\bcleo_[\w-]{43}/g, '<secret>')
      .replace(/\bsession-\d{13}-[0-9a-f]{6}\b/g, '<session>')
      .replace(/(\d{4}-\d\d-\d\d-)?\brun-[0-9a-z]{8}[0-9a-f]{6}\b/g, '<run>')
      .replaceAll('0.0.0-test', version),
  );
}
