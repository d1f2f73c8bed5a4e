import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../../test/app.ts';
import { openClients } from '../../../../test/client-surfaces.ts';

const config = { verification: { tools: { test: [process.execPath, '-e', ''] } } };

type Surface = Awaited<ReturnType<typeof openClients>>['surface'] extends (...args: never) => infer S ? S : never;

/** Works on T001 until a verdict is missing. */
async function work(app: TestApp, surface: Surface, more = {}): Promise<void> {
  await surface('tasks.start', { taskId: 'T001' }, more);
  writeFileSync(join(app.root, 'work.txt'), `${Math.random()}`);
  for (const [gate, evidence] of [
    ['implemented', 'files:work.txt'],
    ['testsPassed', 'tool:test'],
  ])
    expect(await surface('verify.gate', { taskId: 'T001', gate, evidence }, more)).toMatchObject({ exitCode: 0 });
}

const claude = (session: string, more = {}) => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session, ...more });

test('an agent in another client process may judge, and the verdict records it', async () => {
  const { app, surface } = await openClients(['T001'], config);
  await work(app, surface(claude('a'), { client: 'claude', pid: 1 }));
  const other = surface(claude('b'), { client: 'claude', pid: 2 });
  expect(await other('validator.attest', { taskId: 'T001' })).toMatchObject({
    exitCode: 0,
    envelope: { verdict: { verdict: 'attested', independence: 'process' } },
  });
  const { verification } = await app.call('verify.status', { taskId: 'T001' });
  expect(verification.verdict).toMatchObject({ independence: 'process' });
  expect(verification.gates[2].evidence).toMatchObject([{ kind: 'verdict', independence: 'process' }]);
});

test.each<[string, Record<string, string>, { client: string; pid: number } | undefined, Json, RegExp]>([
  ['another name in the same client process', { CLEO_AGENT_ID: 'ben' }, { client: 'claude', pid: 1 }, {}, /the same client process as/],
  ['another name in the call', {}, { client: 'claude', pid: 1 }, { agent: 'ben' }, /the same client process as/],
  ['another name, detached from the client', { CLEO_AGENT_ID: 'ben' }, undefined, {}, /only the name distinguishes the call from one of/],
  ['another conversation of the same process', claude('b'), { client: 'claude', pid: 1 }, {}, /the same client process as/],
  ['the same conversation, resumed in another process', claude('a'), { client: 'claude', pid: 2 }, {}, /did the work|worked on it/],
])('refuses %s', async (_, variables, process, more, problem) => {
  const { app, surface } = await openClients(['T001'], config);
  await work(app, surface(claude('a'), { client: 'claude', pid: 1 }));
  for (const operation of ['validator.attest', 'validator.reject']) {
    const { exitCode, envelope } = await surface(variables, process)(operation, { taskId: 'T001', reason: 'Seen' }, more);
    expect([operation, exitCode]).toEqual([operation, 82]);
    expect((envelope as Json).error.message).toMatch(problem);
    expect((envelope as Json).error.alternatives.map(({ command }: Json) => command)).toContain(
      'cleo orchestrate spawn T001 --role validator',
    );
  }
});

test('two tokens are two agents, one token under two names is not', async () => {
  const { app, surface } = await openClients(['T001'], config);
  const http = surface({});
  const as = (name: string, agent = name) => ({ gateway: 'http' as const, agent, token: { name, scope: 'mutate' as const } });
  await work(app, http, as('laptop'));
  expect(await http('validator.attest', { taskId: 'T001' }, as('laptop', 'laptop/ben'))).toMatchObject({ exitCode: 82 });
  expect(await http('validator.attest', { taskId: 'T001' }, as('ci'))).toMatchObject({
    exitCode: 0,
    envelope: { verdict: { by: 'ci', independence: 'process' } },
  });
});

/** A project whose agents share one process, as subagents of one client do. */
async function openSpawned(verification = {}): Promise<{ app: TestApp; worker: Surface; lead: Surface; spawn: () => Promise<Json> }> {
  const { app, surface } = await openClients(['T001'], { verification: { ...config.verification, ...verification } });
  const process = { client: 'claude', pid: 1 };
  const [worker, lead] = [surface({ CLEO_AGENT_ID: 'worker' }, process), surface({ CLEO_AGENT_ID: 'lead' }, process)];
  await work(app, worker);
  const spawn = async (): Promise<Json> => {
    const { envelope } = await lead('orchestrate.spawn', { taskId: 'T001', role: 'validator' });
    return (envelope as Json).spawn;
  };
  return { app, worker, lead, spawn };
}

test('a spawned validator proves itself with its secret, once', async () => {
  const { app, lead, spawn } = await openSpawned();
  const { agentId, env, prompt, promptFile } = await spawn();
  const secret = env.CLEO_VALIDATOR_SECRET;
  expect(secret).toMatch(/^cleo_[\w-]{43}$/);
  expect(prompt).toContain(secret);
  expect(promptFile).toBe(`.cleo/research/prompts/${agentId}.md`);
  expect(await lead('validator.attest', { taskId: 'T001', agent: agentId })).toMatchObject({ exitCode: 82 });
  expect(await lead('validator.attest', { taskId: 'T001', secret: `cleo_${'x'.repeat(43)}` })).toMatchObject({
    exitCode: 82,
    envelope: { error: { message: expect.stringContaining('the secret is not that of a validator of T001') } },
  });
  const attested = { verdict: { by: agentId, verdict: 'attested', independence: 'spawn' } };
  expect(await lead('validator.attest', { taskId: 'T001', secret })).toMatchObject({ exitCode: 0, envelope: attested });
  const log = await app.store.read(({ audit }) => audit.list({}, { limit: 100, offset: 0 }));
  expect(JSON.stringify(log)).not.toContain(secret);
});

test('the secret is in no file and not in the stored answer of a key', async () => {
  const { app, lead } = await openSpawned();
  const call = { taskId: 'T001', role: 'validator' };
  const first = (await lead('orchestrate.spawn', call, { idempotencyKey: 'k1' })).envelope as Json;
  const secret = first.spawn.env.CLEO_VALIDATOR_SECRET;
  const again = (await lead('orchestrate.spawn', call, { idempotencyKey: 'k1' })).envelope as Json;
  expect(again.spawn).toMatchObject({ agentId: first.spawn.agentId, env: { CLEO_VALIDATOR_SECRET: '[shown once]' } });
  expect(JSON.stringify(again)).not.toContain(secret);
  expect(JSON.stringify(readTree(join(app.root, '.cleo', 'research')))).not.toContain(secret);
});

function readTree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'));
}

test('a secret is valid for its task and its round', async () => {
  const { app, worker, lead, spawn } = await openSpawned();
  const first = (await spawn()).env.CLEO_VALIDATOR_SECRET;
  const second = (await spawn()).env.CLEO_VALIDATOR_SECRET;
  expect(await lead('validator.reject', { taskId: 'T001', reason: 'Not read', secret: first })).toMatchObject({ exitCode: 0 });
  await work(app, worker);
  for (const [secret, problem] of [
    [first, /was used for a verdict already/],
    [second, /is for round 1, and T001 is in round 2/],
  ] as const) {
    const { exitCode, envelope } = await lead('validator.attest', { taskId: 'T001', secret });
    expect([exitCode, (envelope as Json).error.message]).toEqual([82, expect.stringMatching(problem)]);
  }
  expect(await lead('validator.attest', { taskId: 'T001', secret: (await spawn()).env.CLEO_VALIDATOR_SECRET })).toMatchObject({
    exitCode: 0,
  });
});

test('verification.independence "process" accepts no secret', async () => {
  const { lead, spawn } = await openSpawned({ independence: 'process' });
  const secret = (await spawn()).env.CLEO_VALIDATOR_SECRET;
  const { exitCode, envelope } = await lead('validator.attest', { taskId: 'T001', secret });
  expect([exitCode, (envelope as Json).error.message]).toEqual([
    82,
    expect.stringContaining('verification.independence accepts no secrets'),
  ]);
});

test('work of an older version, which recorded names only, may be judged under another name', async () => {
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'] });
  expect(await app.as('ben').call('validator.attest', { taskId: 'T001' })).toMatchObject({ verdict: { by: 'ben' } });
});

test('a person who proves to be one may judge the work of an agent', async () => {
  const app = await openApp({ tasks: ['T001'], config, isAtTerminal: true, env: { CLEO_AGENT_ID: '', LOGNAME: 'sam' } });
  writeFileSync(join(app.root, 'work.txt'), 'work');
  const ada = app.as('ada');
  for (const [gate, evidence] of Object.entries({ implemented: 'files:work.txt', testsPassed: 'tool:test' }))
    expect(await ada.call('verify.gate', { taskId: 'T001', gate, evidence })).toMatchObject({ success: true });
  expect(await app.call('validator.attest', { taskId: 'T001' })).toMatchObject({ verdict: { by: 'sam', independence: 'person' } });
});

test('a person does not judge own work under another name', async () => {
  const app = await openApp({
    tasks: ['T001'],
    config: { ...config, agents: ['ben'] },
    isAtTerminal: true,
    env: { CLEO_AGENT_ID: '', LOGNAME: 'sam' },
  });
  writeFileSync(join(app.root, 'work.txt'), 'work');
  for (const [gate, evidence] of Object.entries({ implemented: 'files:work.txt', testsPassed: 'tool:test' }))
    expect(await app.call('verify.gate', { taskId: 'T001', gate, evidence })).toMatchObject({ success: true });
  expect(await app.call('validator.attest', { taskId: 'T001', agent: 'ben' })).toMatchObject({ error: { exitCode: 82 } });
});
