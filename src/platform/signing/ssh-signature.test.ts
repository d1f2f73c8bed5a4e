import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../test/temp-folder.ts';
import { createSshSignatures } from './ssh-signature.ts';

function createKey(home: string, name: string, passphrase = ''): string {
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  const path = join(home, '.ssh', name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', path]);
  return readFileSync(`${path}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ');
}

const namespace = 'cleo-decision';
const text = 'cleo decision\nsubject: D-001\n';

test('signs with a key of the user and verifies with allowed_signers', async () => {
  const home = createTempFolder();
  const [sam, eve] = [createKey(home, 'id_sam'), createKey(home, 'id_eve')];
  const ssh = createSshSignatures({ PATH: process.env.PATH, HOME: home });
  const signers = [`sam@example.com ${sam} Sam's key`];
  const key = await ssh.findKey([sam]);
  expect(key).toEqual({ publicKey: sam, keyFile: join(home, '.ssh', 'id_sam'), protection: 'none' });
  const signed = await ssh.sign(key!, namespace, text);
  const signature = 'signature' in signed ? signed.signature : '';
  const verify = (change: object) => ssh.verify({ signers, namespace, text, signature, ...change });
  expect(await verify({})).toEqual({ isValid: true, signer: 'sam@example.com', fingerprint: expect.stringMatching(/^SHA256:/) });
  const forged = await ssh.sign({ publicKey: eve, keyFile: join(home, '.ssh', 'id_eve') }, namespace, text);
  for (const change of [
    { text: `${text}x` },
    { namespace: 'git' },
    { signature: signature.replace(/.{8}(?=\n-----END)/, (end) => (end === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA')) },
    { signature: 'signature' in forged ? forged.signature : '' },
    { signature: '' },
    { signers: [] },
    { signers: [`sam@example.com valid-before="20200101" ${sam}`], at: '2026-01-01T00:00:00.000Z' },
    { signers: [`sam@example.com namespaces="git" ${sam}`] },
  ])
    expect(await verify(change), JSON.stringify(change)).toMatchObject({ isValid: false, problem: expect.any(String) });
  expect(await verify({ signers: [`sam@example.com valid-before="20270101" ${sam}`], at: '2026-01-01T00:00:00.000Z' })).toMatchObject({
    isValid: true,
  });
});

test('knows a key with a passphrase, and a user without one of the keys', async () => {
  const home = createTempFolder();
  const sam = createKey(home, 'id_sam', 'correct horse');
  const ssh = createSshSignatures({ PATH: process.env.PATH, HOME: home });
  expect(await ssh.findKey([sam])).toMatchObject({ protection: 'passphrase' });
  expect(await ssh.findKey(['ssh-ed25519 AAAA'])).toBeUndefined();
  // Without a terminal the passphrase cannot be asked.
  const other = createSshSignatures({ PATH: process.env.PATH, HOME: home, SSH_ASKPASS_REQUIRE: 'force', SSH_ASKPASS: 'false' });
  expect(await other.sign({ publicKey: sam, keyFile: join(home, '.ssh', 'id_sam') }, namespace, text)).toEqual({
    problem: expect.any(String),
  });
});

test('reports that ssh-keygen is missing', async () => {
  const ssh = createSshSignatures({ PATH: createTempFolder(), HOME: createTempFolder() });
  expect(await ssh.sign({ publicKey: 'ssh-ed25519 AAAA' }, namespace, text)).toEqual({
    problem: expect.stringContaining('ssh-keygen could not be started'),
  });
});
