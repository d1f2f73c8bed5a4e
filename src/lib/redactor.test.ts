import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { harmlessTexts } from '../../test/harmless-texts.ts';
import { getSecretCore, placedSecrets, secrets } from '../../test/secrets.ts';
import { createRedactor, isSecretVariable, type RedactorOptions } from './redactor.ts';

const mac = (text: string): string => createHmac('sha256', 'salt').update(text).digest('hex');
const secret = 'hunter2-and-then-some';
const make = (more: Partial<RedactorOptions> = {}) => createRedactor({ secrets: [secret], patterns: [], allow: [], mac, ...more });
const inParts = (text: string, size: number, more: Partial<RedactorOptions> = {}): string => {
  const stream = make(more).stream();
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += size) out += stream.push(bytes.subarray(at, at + size));
  return out + stream.end();
};
const base64 = Buffer.from(secret).toString('base64');

describe('hides a declared secret', () => {
  test.each<[string, string]>([
    ['as it is', `before ${secret} after`],
    ['in base64', `x ${base64} y`],
    ['in base64 of an address', `x ${Buffer.from(secret).toString('base64url')} y`],
    ['inside of something else in base64', Buffer.from(`{"a":"b","c":"${secret}"}`).toString('base64')],
    ['in an address', `https://a.example/?q=${encodeURIComponent(secret)}`],
    ['twice', `${secret}${secret}`],
  ])('%s', (_, text) => {
    const clean = make().text(text);
    expect(clean).not.toContain(secret);
    expect(clean).not.toContain(base64.replace(/=+$/, ''));
    expect(clean).toMatch(/\[REDACTED:[a-z]+:[0-9a-f]{8}\]/);
  });

  test('with characters that JSON and URLs escape', () => {
    const odd = 'pa"ss\\wo rd/ä&=';
    const redactor = make({ secrets: [odd] });
    for (const text of [odd, JSON.stringify({ a: odd }), encodeURIComponent(odd), Buffer.from(odd).toString('base64')])
      expect(redactor.text(text)).toContain('[REDACTED:value:');
  });

  const odd = "päss\"wörd\\with/odd&signs 'x'";
  const code = Buffer.from(`${odd}${'and much more'.repeat(9)}`).toString('base64');
  test.each<[string, string]>([
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ a: odd }))],
    ['in JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify({ a: odd })))],
    ['in JSON of letters without accents', JSON.stringify(odd).replace(/[^ -~]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`)],
    ['in JSON that guards slashes', JSON.stringify(odd).replaceAll('/', '\\/')],
    ['in an address of small letters', encodeURIComponent(odd).toLowerCase()],
    ['in an address that keeps slashes', encodeURIComponent(odd).replaceAll('%2F', '/').replaceAll("'", '%27')],
    ['in an address within an address', encodeURIComponent(encodeURIComponent(odd))],
    ['in a form', `${new URLSearchParams({ q: odd })}`],
    ['in HTML', odd.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['between the quotes of a shell', odd.replaceAll("'", "'\\''")],
    ['in hex', Buffer.from(odd).toString('hex')],
    ['in base64 of base64', Buffer.from(Buffer.from(`u:${odd}`).toString('base64')).toString('base64')],
    ['in base64 of JSON', Buffer.from(JSON.stringify({ x: odd })).toString('base64')],
    ['in base64 in lines', code.replace(/.{76}/g, '$&\n')],
    ['in base64 in lines, in JSON', JSON.stringify(code.replace(/.{64}/g, '$&\r\n'))],
  ])('with unusual characters, %s', (_, text) => {
    const clean = make({ secrets: [odd] }).text(text);
    expect(clean).toMatch(/\[REDACTED:[a-z]+:[0-9a-f]{8}\]/);
    for (const piece of ['with', 'signs', text.slice(9, 40)]) expect(clean).not.toContain(piece);
    expect(inParts(`${text}\n`, 7, { secrets: [odd] })).toBe(`${clean}\n`);
  });

  test('in base64 at any offset', () => {
    for (const before of ['', 'u', 'us', 'user:'])
      expect(make({ secrets: ['s3cr3t-v4lue!'] }).text(btoa(`${before}s3cr3t-v4lue!x`))).toContain(
        `[REDACTED:value:${mac('s3cr3t-v4lue!').slice(0, 8)}]`,
      );
  });

  test('with one fingerprint in a project', () => {
    expect(make().text(base64.replace(/=+$/, ''))).toBe(make().text(secret));
    expect(make().text(secret)).toBe(`[REDACTED:value:${mac(secret).slice(0, 8)}]`);
    expect(make({ mac: (text) => createHmac('sha256', 'other').update(text).digest('hex') }).text(secret)).not.toBe(make().text(secret));
  });

  test('unless the user allows it or it is too short', () => {
    expect(make({ allow: [mac(secret).slice(0, 8)] }).text(secret)).toBe(secret);
    expect(make({ secrets: ['short'] }).text('a short text')).toBe('a short text');
  });
});

describe('redacts a stream', () => {
  const text = `line one\n${secret} and ${base64}\n-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----\nghp_${'aB3dE5gH7j'.repeat(4)}\nlast ä`;
  test.each([1, 2, 3, 7, 20, 64, 10_000])('in parts of %i bytes', (size) => {
    expect(inParts(text, size)).toBe(make().text(text));
  });

  test('of one line without an end', () => {
    const long = `{"a":"${'x, '.repeat(40_000)}","t":"${secret}","b":"${'y, '.repeat(40_000)}"}`;
    const clean = inParts(long, 4096);
    expect(clean).not.toContain(secret);
    expect(clean.replace(/\[REDACTED:[^\]]*\]/, secret)).toBe(long);
  });

  test.each<[string, string, string]>([
    ['a value with spaces', 'correct horse battery staple', 'battery'],
    ['a header', 'Authorization: Bearer abcdefghijklmnopqrstuvwx', 'abcdefghijklm'],
    ['a field of JSON', '"password": "hunter2, or 3; so"', 'hunter2'],
    ['a key', '-----BEGIN RSA PRIVATE KEY----- abc def ghi jkl -----END RSA PRIVATE KEY-----', 'def ghi'],
  ])('of one line without an end, at any cut: %s', (_, text, core) => {
    for (const after of [8100, 8180, 8190, 8200, 8300]) {
      const line = `${'x'.repeat(70_000)} ${text} ${'y'.repeat(after)}`;
      expect(inParts(line, line.length - 5, { secrets: ['correct horse battery staple'] })).not.toContain(core);
    }
  });

  test('with a secret that continues in the next line', () => {
    expect(inParts('password:\n  hunter2x9\nnext\n', 3)).not.toContain('hunter2x9');
  });

  test('with a secret of several lines', () => {
    const many = 'first line of it\nsecond line of it';
    expect(inParts(`a\n${many}\nb\n`, 5, { secrets: [many] })).toMatch(/^a\n\[REDACTED:value:[0-9a-f]{8}\]\nb\n$/);
  });

  test('without holding back complete lines', () => {
    expect(make().stream().push(Buffer.from('done\nnext'))).toBe('done\n');
  });

  test('with a large amount of output in time', () => {
    const stream = make().stream();
    const part = Buffer.from('all work and no play makes a dull day\n'.repeat(2000));
    const before = performance.now();
    for (let i = 0; i < 130; i += 1) stream.push(part);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe('redacts values', () => {
  test('under secret names, but not numbers', () => {
    expect(
      make().value({ apiKey: 'abcdefgh', nested: { auth: ['abcdefgh', { x: 'abcdefghi' }] }, tokens: 12, author: 'somebody', key: 'main' }),
    ).toEqual({
      apiKey: expect.stringMatching(/^\[REDACTED:key:/),
      nested: { auth: [expect.stringMatching(/^\[REDACTED:key:/), { x: expect.stringMatching(/^\[REDACTED:key:/) }] },
      tokens: 12,
      author: 'somebody',
      key: 'main',
    });
  });

  test('and keys', () => {
    expect(JSON.stringify(make().value({ [secret]: 1 }))).not.toContain(secret);
  });
});

test('hides the patterns of the user', () => {
  const pattern = { replace: (text: string, by: (found: string) => string) => text.replace(/ACME-\d+/g, by) };
  const redactor = make({ patterns: [pattern] });
  expect(redactor.text('see ACME-1234')).toMatch(/^see \[REDACTED:pattern:[0-9a-f]{8}\]$/);
  expect(redactor.counts()).toEqual({ pattern: 1 });
});

test.each<[string, boolean]>([
  ['API_TOKEN', true],
  ['npm_config_authtoken', true],
  ['PATH', false],
  ['AWS_SECRET_ACCESS_KEY', true],
  ['LANG', false],
])('the variable %s is secret: %s', (name, expected) => {
  expect(isSecretVariable(name)).toBe(expected);
});

describe('hides every shape of a secret', () => {
  test.each(Object.entries(secrets))('%s, in parts, in base64 and in nested values', (name, secret) => {
    const core = getSecretCore(name);
    const redactor = make();
    const plain = [secret, `It is ${secret} and nothing else`, `"${secret}"`, `one\n${secret}\nthree`];
    for (const text of [...plain, `a\\n${secret}`, `\u001b[31m${secret}\u001b[0m`, `\\u001b[1;32m${secret}`, `q=%20${secret}`]) {
      expect(redactor.text(text)).not.toContain(core);
      const bytes = Buffer.from(text);
      // Cut in two wherever that may hurt.
      for (let at = 1; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 12))) {
        const stream = make().stream();
        expect(stream.push(bytes.subarray(0, at)) + stream.push(bytes.subarray(at)) + stream.end()).not.toContain(core);
      }
      const value = JSON.stringify(redactor.value({ a: [{ b: { c: text } }], [text]: 1, d: JSON.stringify({ deep: text }) }));
      expect(value).not.toContain(JSON.stringify(core).slice(1, -1));
    }
    if (secret.length < 18) return;
    const code = Buffer.from(secret).toString('base64').replace(/=+$/, '');
    expect(redactor.text(`data: ${code}`)).not.toContain(code);
    expect(redactor.text(redactor.text(secret))).toBe(redactor.text(secret));
  });
});

test.each(Object.entries(placedSecrets))('hides a secret by its position: %s', (_, [text, core]) => {
  for (const written of [text, `before ${text}`, `\t${text}\nafter`, JSON.stringify({ log: `a\n${text}` }), `\u001b[31m${text}\u001b[0m`]) {
    expect(make().text(written)).not.toContain(core);
    expect(inParts(written, 5)).toBe(make().text(written));
  }
  expect(JSON.stringify(make().value({ a: [{ b: text }], [text]: 1, c: JSON.stringify({ d: text }) }))).not.toContain(core);
  const once = make().text(text);
  expect(make().text(once)).toBe(once);
});

test.each([
  'accesstoken',
  'dbpassword',
  'DBPASSWORD',
  'clientsecret',
  'secretkey',
  'privatekey',
  'authtoken',
  'password1',
  'userPassword2',
  'passwords',
  'apikeys',
  'x-auth-token',
  'sshPrivateKey',
  'keyMaterial',
  'authentication',
  'tokens',
])('hides the value of %s', (name) => {
  expect(JSON.stringify(make().value({ a: { [name]: 'purple-monkey' } }))).not.toContain('purple');
});

test.each<[unknown, boolean]>([
  [{ argv: ['deploy', '--token', 'purplemonkey77'] }, true],
  [{ headers: [{ name: 'Authorization', value: 'purplemonkey77' }] }, true],
  [{ headers: [['x-api-key', 'purplemonkey77']] }, true],
  [{ token: 1_234_567 }, true],
  [{ fields: ['password', 'username'] }, false],
  [{ name: 'token', value: 'required' }, false],
  [{ argv: ['sort', '--key', 'name'] }, false],
  [{ tokens: 12_345_678, token_count: 1_234_567, input_tokens: 1_234_567 }, false],
  [{ monkey: 'bananabanana', keyboard: 'us-intl-dead', author: 'somebody' }, false],
])('redacts %j: %s', (given, isHidden) => {
  expect(JSON.stringify(make().value(given)) !== JSON.stringify(given)).toBe(isHidden);
});

test('keeps harmless texts in any position', () => {
  const redactor = make();
  expect(harmlessTexts.filter((text) => redactor.text(text) !== text)).toEqual([]);
  expect(
    harmlessTexts.filter((text) => JSON.stringify(redactor.value({ a: [{ b: text }] })) !== JSON.stringify({ a: [{ b: text }] })),
  ).toEqual([]);
  const stream = make().stream();
  const all = harmlessTexts.join('\n');
  expect(stream.push(Buffer.from(all)) + stream.end()).toBe(all);
});

test('hides short values of secret names, and values of keys only if they are long', () => {
  const value = (given: unknown): string => JSON.stringify(make().value(given));
  expect(value({ password: 'hunter2', token: 'x', pin: 1234 })).not.toMatch(/hunter2|"x"/);
  expect(value({ secret: 12345678, tokens: 12345678, key: 42 })).toMatch(
    /^\{"secret":"\[REDACTED:key:[0-9a-f]{8}\]","tokens":12345678,"key":42\}$/,
  );
  const once = make().value({ token: 'abc' });
  expect(make().value(once)).toEqual(once);
});

test.each([
  'https://api.telegram.org/bot123456789:AAHdqTcvCH1v-Purplemonkey77ALDsaw7x/sendMessage',
  `https://x.webhook.office.com/webhookb2/${'1f2e3d4c-aaaa-4bbb-8ccc-9f8e7d6c5b4a'.repeat(2)}@Purplemonkey77/IncomingWebhook/9f8e7d6c`,
  '  - name: DB_PASSWORD\n    value: Purplemonkey77',
  '{"name":"DB_PASSWORD","value":"Purplemonkey77"}',
  "define('DB_PASSWORD', 'Purplemonkey77');",
  'lftp -u bob,Purplemonkey77 sftp://host',
])('hides the secret of %j', (text) => {
  expect(make().text(text)).not.toContain('Purplemonkey77');
});

test.each(['- name: build\n  value: production', "define('APP_FOLDER', '/srv/application')", 'lftp -u $USER,$PASS host'])(
  'keeps %j',
  (text) => {
    expect(make().text(text)).toBe(text);
  },
);
