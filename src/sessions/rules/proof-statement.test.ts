import { expect, test } from 'vitest';
import { chooseProofMethod } from './proof-method.ts';
import { formatStatement, parseSignerKey, parseStatement } from './proof-statement.ts';

const statement = {
  project: 'p1',
  operation: 'memory.confirm',
  subject: 'D-001',
  params: 'ab12',
  content: 'cd34',
  at: '2026-01-01T00:00:00.000Z',
};

test('a statement is readable, one fact a line, and can be read back', () => {
  const text = formatStatement(statement);
  expect(text).toBe(
    'cleo decision, version 1\nproject: p1\noperation: memory.confirm\nsubject: D-001\nparams: sha256:ab12\ncontent: sha256:cd34\nat: 2026-01-01T00:00:00.000Z\n',
  );
  expect(parseStatement(text)).toEqual(statement);
  const short = { ...statement, content: undefined };
  expect(parseStatement(formatStatement(short))).toEqual(short);
});

test.each([
  '',
  'x',
  formatStatement(statement).replace('decision', 'audit'),
  formatStatement(statement).replace('subject: D-001', 'subject: D-002\nsubject: D-001'),
  `${formatStatement(statement)}more: x\n`,
])('%j is not a statement', (text) => {
  expect(parseStatement(text)).toBeUndefined();
});

test.each([
  ['sam@example.com ssh-ed25519 AAAAC3Nz', 'ssh-ed25519 AAAAC3Nz'],
  ['sam@example.com,eve@example.com namespaces="git,cleo-decision" ssh-rsa AAAAB3== Sam on a laptop', 'ssh-rsa AAAAB3=='],
  ['* sk-ssh-ed25519@openssh.com AAAAGnNr', 'sk-ssh-ed25519@openssh.com AAAAGnNr'],
  ['sam@example.com', undefined],
])('the key of %j is %s', (line, key) => {
  expect(parseSignerKey(line)).toBe(key);
});

test.each([
  ['terminal', undefined, 'terminal'],
  ['terminal', 'passphrase', 'passphrase'],
  ['terminal', 'terminal', 'terminal'],
  ['ssh', 'terminal', 'ssh'],
  ['ssh', 'passphrase', 'ssh'],
  ['passphrase', undefined, 'passphrase'],
] as const)('project and default %s, user %s: %s', (effective, user, method) => {
  expect(chooseProofMethod(effective, user)).toBe(method);
});
