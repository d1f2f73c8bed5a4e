import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';

const decisions = ['memory decision: Tokens are structs', 'memory decision: Lexers are loops'];

test('lists how every decision was proved, and those without a proof', async () => {
  const { call, tamper } = await openApp({ tasks: decisions, isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
  expect(await call('admin.proof.verify')).toMatchObject({ _meta: { exitCode: 100 }, proofs: [] });
  await call('memory.confirm', { id: 'D-001' });
  await tamper("update memories set confirmation_state = 'accepted' where id = 'D-002'");
  const { proofs } = await call('admin.proof.verify');
  expect(proofs).toMatchObject([
    { subject: 'D-001', operation: 'memory.confirm', via: 'terminal', state: 'recorded' },
    { subject: 'D-002', state: 'missing' },
  ]);
  expect((await call('admin.proof.verify', { id: 'D-002' })).proofs).toHaveLength(1);
  expect(await call('memory.fetch', { id: 'D-001' })).toMatchObject({ memory: { proof: { via: 'terminal' } } });
});

test('a signature that does not verify is an error', async () => {
  const { call, tamper } = await openApp({ tasks: decisions });
  const evidence = { subject: 'D-001', statement: 'cleo decision, version 1', signature: 'x' };
  const proof = JSON.stringify({ via: 'ssh', operation: 'memory.confirm', evidence });
  await tamper(`update memories set confirmation_state = 'accepted', proof = '${proof}' where id = 'D-001'`);
  expect(await call('admin.proof.verify')).toMatchObject({ error: { code: 'E_CHECKSUM_MISMATCH', exitCode: 20 } });
});

test('only a person at a terminal sets the passphrase', async () => {
  const { call } = await openApp();
  expect(await call('admin.proof.passphrase')).toMatchObject({ error: { code: 'E_FORBIDDEN', exitCode: 64 } });
  const person = await openApp({ isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
  // The person confirms, and types no passphrase.
  expect(await person.call('admin.proof.passphrase')).toMatchObject({
    error: { code: 'E_VALIDATION_PASSPHRASE', message: expect.stringContaining('was not typed') },
  });
});

test('reading with scope admin needs the configured proof, which the log names', async () => {
  const env = { CLEO_AGENT_ID: '' };
  const person = await openApp({ isAtTerminal: true, env });
  expect(await person.call('admin.token.list')).toMatchObject({ success: true });
  const signer = await openApp({ isAtTerminal: true, env, config: { decide: { proof: 'ssh' } } });
  expect(await signer.call('admin.token.list')).toMatchObject({ error: { code: 'E_FORBIDDEN', exitCode: 64 } });
});
