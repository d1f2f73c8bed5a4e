import { expect, test } from 'vitest';
import { harmlessShapes } from '../../test/harmless-shapes.ts';
import { harmlessTexts } from '../../test/harmless-texts.ts';
import { corpus } from '../../test/secret-corpus.ts';
import { secrets } from '../../test/secrets.ts';
import { redactParams } from './redact.ts';
import { createRedactor, isSecretVariable } from './redactor.ts';
import { classifyAssignedName, classifyName, findBeginnings, getSecretPattern, isSecretValue, matchesAnyShape } from './secrets.ts';

test.each([
  ['\\bAIza[A-Z]{30}', ['AIza']],
  ['\\b(?:AKIA|ASIA)[A-Z]{16}', ['AKIA', 'ASIA']],
  ['\\bya29\\.[a-z]+', ['ya29.']],
  ['\\b1\\/\\/0[a-z]+', ['1//0']],
  ['-----BEGIN (?:RSA )*KEY', ['-----BEGIN ']],
  ['\\babc?def', ['ab']],
  ['\\babc+', ['ab']],
  ['\\b(?:bot)?\\d{8}', undefined],
  ['\\b[rsp]k_live', undefined],
  ['(?<=sig=)[a-z]+', undefined],
])('the beginnings of %s are %j', (source, expected) => {
  expect(findBeginnings(source)).toEqual(expected);
});

test('the check of a short text finds what the pattern for all shapes finds, and nothing else', () => {
  const samples = [...corpus.map(({ text }) => text), ...Object.values(secrets)];
  const texts = [
    ...samples.flatMap((text) => [
      text,
      `see ${text} there`,
      `\\n${text}`,
      `a%20${text}`,
      `_${text}`,
      `x${text}`,
      JSON.stringify({ text }),
    ]),
    ...harmlessTexts,
    ...harmlessShapes,
    'Fix the task-runner of src/components/header-of-the-page.ts',
    '/home/ada/project/.cleo/runs/run-mwnp9yoe8ef8b8/skill/yes/1/stdout.log',
  ].filter((text) => text.length <= 4000);
  const matches = texts.map((text) => text.search(getSecretPattern()) >= 0);
  expect(texts.filter((text, i) => matchesAnyShape(text) !== matches[i])).toEqual([]);
  expect([matches.filter(Boolean).length > 500, matches.filter((isMatch) => !isMatch).length > 200]).toEqual([true, true]);
});

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
