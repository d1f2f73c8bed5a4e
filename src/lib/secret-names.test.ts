import { expect, test } from 'vitest';
import { redactParams } from './redact.ts';
import { createRedactor, isSecretVariable } from './redactor.ts';
import { classifyAssignedName, classifyName, isSecretValue } from './secret-names.ts';

const secret = [
  'password',
  'dbPasswordProd',
  'DB_PASSWORD',
  'userPassword2',
  'passphrase',
  'dbPass',
  'PGPWD',
  'apiKey',
  'api-keys',
  'APIKEY',
  'signingKey',
  'masterKey',
  'master_key_prod',
  'encryptionKey',
  'deployKey',
  'sshPrivateKey',
  'privateKey',
  'sharedKey',
  'sessionKey',
  'accountKey',
  'clientSecret',
  'secrets',
  'accessToken',
  'csrf_token',
  'authtoken',
  'token_test',
  'credentials',
  'awsCredential',
  'authorization',
  'AWS_SECRET_ACCESS_KEY',
];
const possible = [
  'key',
  'keys',
  'tokens',
  'auth',
  'authentication',
  'licenseKey',
  'keyMaterial',
  'pass',
  'pwd',
  'SSH_AUTH_SOCK',
  'private',
];
const harmless = [
  'title',
  'author',
  'GIT_AUTHOR_NAME',
  'secretary',
  'compass',
  'passing',
  'tokenizer',
  'keyboard',
  'monkey',
  'primaryKey',
  'cache-key',
  'idempotencyKey',
  'publicKey',
  'key_findings',
  'token_count',
  'maxTokenBudget',
  'OLDPWD',
];

test.each([
  ...secret.map((name) => [name, 'secret'] as const),
  ...possible.map((name) => [name, 'possible'] as const),
  ...harmless.map((name) => [name, undefined] as const),
])('%s is %s', (name, kind) => {
  expect(classifyName(name)).toBe(kind);
});

const redactor = createRedactor({ secrets: [], patterns: [], allow: [], mac: () => '0'.repeat(8) });

test.each(secret)('hides %s in the audit log, in traces, in texts and as a variable', (name) => {
  const value = 'x7Kq-plum';
  expect(JSON.stringify(redactParams({ [name]: value }))).not.toContain(value);
  expect(JSON.stringify(redactor.value({ [name]: value }))).not.toContain(value);
  expect(isSecretVariable(name)).toBe(true);
  if (['authorization', 'dbPass'].includes(name)) return;
  expect(classifyAssignedName(name)).toBe('secret');
  expect(JSON.stringify(redactParams({ note: `${name}=${value}` }))).not.toContain(value);
  expect(redactor.text(`${name}=${value}`)).not.toContain(value);
});

test.each(harmless)('keeps %s in the audit log and in traces', (name) => {
  const given = { [name]: 'purple monkey' };
  expect(redactParams(given)).toEqual(given);
  expect(redactor.value(given)).toEqual(given);
});

test.each([
  ['possible', 'purple-monkey', true],
  ['possible', 'short', false],
  ['possible', 'hierarchy.maxSiblings', false],
  ['possible', 'release.gates.lint2', false],
  ['secret', 'x', true],
  ['secret', '', false],
  [undefined, 'purple-monkey', false],
] as const)('of a %s name %j is a secret: %s', (kind, value, isSecret) => {
  expect(isSecretValue(kind, value)).toBe(isSecret);
});

test('ignores words in front of the last one in a text', () => {
  expect(['password_hash', 'token bucket', 'secretName'].map(classifyAssignedName)).toEqual([undefined, undefined, undefined]);
});
