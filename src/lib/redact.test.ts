import { describe, expect, test } from 'vitest';
import { harmlessTexts } from '../../test/harmless-texts.ts';
import { createMixed, getSecretCore, secrets } from '../../test/secrets.ts';
import { redactParams, redactText } from './redact.ts';

describe('hides a secret in any position', () => {
  test.each(Object.entries(secrets))('%s', (name, secret) => {
    for (const text of [secret, `It is ${secret} and nothing else`, `"${secret}"`, `line one\n${secret}\nline three`, `(${secret})`]) {
      const clean = redactText(text);
      expect(clean).toContain('[redacted]');
      expect(clean).not.toContain(getSecretCore(name));
      expect(redactText(clean)).toBe(clean);
    }
  });

  test.each(Object.entries(secrets).filter(([, secret]) => secret.length >= 18))('%s, in base64', (_, secret) => {
    for (const encoding of ['base64', 'base64url'] as const)
      for (const before of ['', ' ', ': ', 'user: ', 'The password is on the next line\n']) {
        const code = Buffer.from(before + secret).toString(encoding);
        for (const text of [code, `data: ${code}`, `"${code}"`]) expect(redactText(text)).not.toContain(code.replace(/=+$/, ''));
      }
  });

  test('keeps the rest of the text', () => {
    expect(redactText('postgres://ada:hunter2@db.example/work')).toBe('postgres://ada:[redacted]@db.example/work');
    expect(redactText(`curl -H "Authorization: Bearer ${createMixed(32)}" https://api.example`)).toBe(
      'curl -H "Authorization: [redacted]" https://api.example',
    );
    expect(redactText('user=ada password=hunter2 host=db')).toBe('user=ada password=[redacted] host=db');
    expect(redactText(`{"apiKey":"${createMixed(20)}","page":2}`)).toBe('{"apiKey":"[redacted]","page":2}');
  });
});

test('keeps harmless texts', () => {
  expect(harmlessTexts.length).toBeGreaterThanOrEqual(200);
  expect(harmlessTexts.filter((text) => redactText(text) !== text)).toEqual([]);
});

test('redacts long texts in linear time', () => {
  const time = (text: string): number => {
    const began = performance.now();
    redactText(text);
    return performance.now() - began;
  };
  for (const piece of [
    'a',
    'a-',
    'a_',
    'token ',
    'password=',
    '-----BEGIN PRIVATE KEY-----',
    'x://y:',
    'eyJ.',
    'sk-',
    `${createMixed(30)} `,
  ])
    expect(time(piece.repeat(200_000 / piece.length))).toBeLessThan(1500);
});

describe('parameters', () => {
  test.each([
    'password',
    'apiToken',
    'access_token',
    'client-secret',
    'DB_PASSWORD',
    'authorization',
    'privateKey',
    'credentials',
    'apiKey',
    'secrets',
  ])('hides every value of %s', (name) => {
    expect(redactParams({ [name]: 'plain', deep: [{ [name]: 'plain' }] })).toEqual({
      [name]: '[redacted]',
      deep: [{ [name]: '[redacted]' }],
    });
  });

  test.each(['title', 'tokens', 'author', 'passing', 'secretary', 'compass', 'key', 'tokenizer'])('keeps short values of %s', (name) => {
    expect(redactParams({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
  });

  test('replaces long texts by length and hash and keeps numbers, lists and null', () => {
    expect(redactParams({ description: 'x'.repeat(1001) })).toEqual({
      description: { length: 1001, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(redactParams({ description: 'x'.repeat(1000), limit: 5, labels: ['a'], none: null, yes: true })).toEqual({
      description: 'x'.repeat(1000),
      limit: 5,
      labels: ['a'],
      none: null,
      yes: true,
    });
  });

  test('returns values without secrets as they are, and copies what is around a secret', () => {
    const tasks = [
      { title: 'Write', labels: ['a', 'b'] },
      { title: 'x password=hunter2', depends: ['T1', { deep: [1] }] },
      { title: 'Test' },
    ];
    const { tasks: [first] = [] } = redactParams({ tasks: tasks.slice(0, 1) }) as { tasks: object[] };
    expect(first).toBe(tasks[0]);
    const clean = redactParams({ tasks }) as { tasks: { depends?: object }[] };
    expect(clean).toEqual({ tasks: [tasks[0], { ...tasks[1], title: 'x password=[redacted]' }, tasks[2]] });
    expect(clean.tasks[0]).toBe(tasks[0]);
    expect(clean.tasks[1]?.depends).toBe(tasks[1]?.depends);
    expect(tasks[1]?.title).toBe('x password=hunter2');
    expect(redactParams(JSON.parse('{"__proto__":{"a":"x password=hunter2"},"b":1}'))).toEqual(
      JSON.parse('{"__proto__":{"a":"x password=[redacted]"},"b":1}'),
    );
  });

  test('replaces lone surrogates, which databases cannot store', () => {
    expect(redactParams({ title: 'a\ud800b' })).toEqual({ title: 'a\ufffdb' });
  });
});

test('summarizes imported files by number, length and hash', () => {
  const content = [
    { name: 'a.md', text: 'x'.repeat(600) },
    { name: 'b.md', text: 'y'.repeat(600) },
  ];
  expect(redactParams({ content })).toEqual({
    content: { items: 2, length: 1200, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(redactParams({ content: [{ name: 'a.md', text: 'short' }] })).toEqual({ content: [{ name: 'a.md', text: 'short' }] });
  expect(redactParams({ content: [null, 7, ['x']], tasks: content })).toEqual({ content: [null, 7, ['x']], tasks: content });
});
