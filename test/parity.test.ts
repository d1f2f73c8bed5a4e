import { parse } from 'valibot';
import { expect, test } from 'vitest';
import { describeParams, toArgv } from '../src/core/command-line.ts';
import type { Operation } from '../src/core/define.ts';
import { registry } from '../src/core/index.generated.ts';
import { estimateTokens } from '../src/lib/tokens.ts';
import { asPerson, type Json, openApp, type TestApp } from './app.ts';
import { isNative, runCleo } from './built-cli.ts';
import { callOverHttp } from './http-server.ts';
import { mcpSurfaces } from './mcp-surfaces.ts';
import { normalizeAnswer } from './parity-answer.ts';
import { grantPerson, needsPerson } from './person-token.ts';
import { countRealTokens } from './real-tokens.ts';

interface Answer {
  envelope: Json;
  exitCode: number | null;
}

type SurfaceCall = (app: TestApp, operation: Operation, params: Record<string, unknown>) => Promise<Answer>;

/** Every surface. Add a line for a new one. */
const surfaces: Record<string, SurfaceCall> = {
  dispatch: ({ reply }, operation, params) => reply(operation.name, params, needsPerson(operation) ? asPerson : {}),
  cli: async (app, operation, params) => {
    const { root, env: agentEnv } = app;
    const { argv, stdin } = toArgv(operation, params);
    const env = needsPerson(operation) ? { ...(await grantPerson(root, agentEnv)), LOGNAME: asPerson.token.name } : agentEnv;
    const { out, err, exitCode } = await runCleo(['--json', ...argv], { cwd: root, env, ...(stdin === undefined ? {} : { stdin }) });
    expect(err).toBe('');
    expect(out).toMatch(/^\{.*\}\n$/);
    return { envelope: JSON.parse(isNative ? await replaceBuild(app, out) : out), exitCode };
  },
  ...mcpSurfaces,
  http: callOverHttp,
};
/** Replaces the description of the native build by that of this process, which runs on Node and calls the other surfaces. */
async function replaceBuild({ root, env, call }: TestApp, text: string): Promise<string> {
  builtVersion ??= JSON.parse((await runCleo(['version'], { cwd: root, env })).out);
  const [built, own] = [builtVersion, await call('admin.version')];
  return text
    .replaceAll(`"build":"${built.build}"`, `"build":"${own.build}"`)
    .replaceAll(built.runtime, own.runtime)
    .replaceAll(built.sqlite, own.sqlite);
}
let builtVersion: Json;

/** The built command differs from this one in its start only, which the valid calls test. */
const callCliInProcess: SurfaceCall = ({ cli }, operation, params) => cli(['--json', ...toArgv(operation, params).argv]);
/** The surface that has no way to prove a person. */
const agentSurface = 'mcp stdio';

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
// Excluded: operations that are selected by a parameter, or whose command without parameters is another operation.
const alone = registry.entries.flatMap((entry) => (entry.isDefault ? entry.commands : []));
const needy = operations.filter(
  ({ params, cli }) =>
    describeParams(params).some(({ isRequired }) => isRequired) &&
    !describeParams(params).some(({ isRequired, name }) => isRequired && name === cli.select) &&
    !alone.includes([cli.command].flat()[0]!),
);
const toRows = (all: Operation[]) => all.map((operation) => [operation.name, operation] as const);

test.each(toRows(operations))('%s returns the same valid answer through every surface', async (_, operation) => {
  const { call, world, exit = 0 } = operation.example;
  for (const { envelope, exitCode } of Object.values(await callAllSurfaces(operation, call, world))) {
    expect(exitCode).toBe(exit);
    expect(envelope).toMatchObject({ _meta: { command: operation.name }, success: isAnswer(exit) });
    checkAgainstDefinition(operation, envelope);
    const printed = JSON.stringify(envelope);
    expect(estimateTokens(printed)).toBeGreaterThanOrEqual(countRealTokens(printed));
  }
});

test.each(toRows(operations.filter(needsPerson)))(
  '%s is refused over stdio, and offers nothing that its caller could run',
  async (_, operation) => {
    const { call, world = [] } = operation.example;
    const { envelope, exitCode } = await surfaces[agentSurface]!(await openApp({ tasks: world }), operation, call);
    expect([exitCode, envelope.error]).toMatchObject([
      64,
      { code: 'E_FORBIDDEN', fix: expect.stringMatching(/^Ask a person to run: cleo /) },
    ]);
    expect(envelope.error).not.toHaveProperty('call');
  },
);

test.each(toRows(needy))('%s returns the same error without parameters through every surface', async (_, operation) => {
  const answers = await callAllSurfaces(operation, {});
  for (const { envelope, exitCode } of Object.values(answers)) {
    expect(envelope).toMatchObject({ _meta: { exitCode: 2 }, success: false, error: { code: 'E_INVALID_INPUT' } });
    expect(exitCode).toBe(2);
  }
  for (const surface of ['mcp stdio', 'mcp http', 'http'])
    expect(answers[surface]!.envelope.error.call, surface).toMatchObject({
      tool: expect.stringMatching(/^cleo_/),
      params: expect.anything(),
    });
});

/** The exit codes 100 to 102 and those of the context window (50 to 54) are not errors. */
const isAnswer = (exit: number): boolean => exit === 0 || (exit >= 100 && exit <= 102) || (exit >= 50 && exit <= 54);

/** Calls the operation through all surfaces and compares the answers. Each surface gets a new project, unless the call is incomplete,
 *  which writes nothing. */
async function callAllSurfaces(
  operation: Operation,
  params: Record<string, unknown>,
  tasks: string[] = [],
): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  const compared: Record<string, unknown> = {};
  // Missing parameters are reported before a person is asked for.
  const isIncomplete = Object.keys(params).length === 0 && Object.keys(operation.example.call).length > 0;
  const isReachable = (surface: string): boolean => surface !== agentSurface || !needsPerson(operation) || isIncomplete;
  const shared = isIncomplete ? await openApp({ tasks }) : undefined;
  for (const [surface, call] of Object.entries(surfaces).filter(([surface]) => isReachable(surface))) {
    const app = shared ?? (await openApp({ tasks }));
    const answer = await (isIncomplete && surface === 'cli' ? callCliInProcess : call)(app, operation, params);
    answers[surface] = answer;
    compared[surface] = normalizeAnswer(answer.envelope, app.root);
  }
  for (const surface of Object.keys(compared)) expect(compared[surface], surface).toEqual(compared.dispatch);
  return answers;
}

/** Checks that a result matches its schema exactly, and that an error is declared. */
function checkAgainstDefinition(operation: Operation, envelope: Json): void {
  const { _meta: meta, success, data, ...result } = envelope;
  if (!success) {
    expect(operation.errors).toContain(result.error.code.replace(/^E_SKILL_\w+$/, 'E_SKILL'));
    return;
  }
  parse(operation.result!, result);
  expect(result).toHaveProperty(meta.resultsField);
  if (operation.kind === 'query') expect(data).toBeUndefined();
  else expect(data).toBeTypeOf('object');
}
