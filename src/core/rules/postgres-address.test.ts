import { describe, expect, test } from 'vitest';
import { chooseTlsMode, findPassword, isLoopbackHost, parsePostgresAddress } from './postgres-address.ts';

const parse = (text: string) => {
  const parsed = parsePostgresAddress(text);
  return 'address' in parsed ? parsed.address : parsed;
};

describe('parsePostgresAddress', () => {
  test.each([
    ['postgres://ada@db.example:6432/plan', [{ host: 'db.example', port: 6432 }], 'ada', undefined, 'plan'],
    ['postgresql://ada:p%40ss:word@db/plan', [{ host: 'db', port: undefined }], 'ada', 'p@ss:word', 'plan'],
    ['POSTGRES://db', [{ host: 'db', port: undefined }], undefined, undefined, undefined],
    ['postgres://[::1]:5433/x', [{ host: '::1', port: 5433 }], undefined, undefined, 'x'],
    [
      'postgres://a:1,b:2/x',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
      undefined,
      undefined,
      'x',
    ],
    ['postgres://ada@%2Fvar%2Frun/x', [{ host: '/var/run', port: undefined }], 'ada', undefined, 'x'],
    ['postgres:///x?host=/tmp', [{ host: '/tmp', port: undefined }], undefined, undefined, 'x'],
    ['postgres:///x', [], undefined, undefined, 'x'],
    // The host follows the last @, as in every other parser of addresses.
    ['postgres://ada@db.example@evil.example/x', [{ host: 'evil.example', port: undefined }], 'ada@db.example', undefined, 'x'],
  ])('parses %s', (text, hosts, user, password, database) => {
    expect(parse(text)).toMatchObject({ hosts, user, password, database });
  });

  test.each(['mysql://db/x', 'postgres://[::bad', 'postgres://db:99999/x', 'postgres://a b/x', 'postgres://%zz/x', 'postgres://db,/x'])(
    'rejects %s',
    (text) => {
      expect(parse(text)).toEqual({ problem: expect.stringContaining('is not an address') });
    },
  );

  test.each([
    ['target_session_attrs=x', 'target_session_attrs'],
    ['mood=good', 'mood'],
    ['sslmode=maybe', 'sslmode'],
    ['channel_binding=require', 'channel_binding'],
    ['host=evil.example', 'host'],
    ['connect_timeout=soon', 'connect_timeout'],
    ['__proto__=x', '__proto__'],
    ['passfile=/etc/passwd', 'passfile'],
  ])('names the wrong parameter of ?%s', (query, parameter) => {
    expect(parse(`postgres://db/x?${query}`)).toEqual({ parameter, problem: expect.any(String) });
  });

  test('does not repeat a password in the problem', () => {
    expect(JSON.stringify(parse('postgres://db/x?password=hunter2'))).not.toContain('hunter2');
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['LOCALHOST', true],
  ['/tmp', true],
  ['0.0.0.0', false],
  ['10.0.0.1', false],
  ['2130706433', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
])('isLoopbackHost(%s) is %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

describe('chooseTlsMode', () => {
  test.each([
    // host, own address, mode of the address, PGSSLMODE, result, ignored
    ['127.0.0.1', false, undefined, undefined, 'disable', undefined],
    ['127.0.0.1', false, 'verify-full', undefined, 'verify-full', undefined],
    ['localhost', false, undefined, 'require', 'require', undefined],
    ['db', false, undefined, undefined, 'verify-full', undefined],
    ['db', false, 'require', undefined, 'verify-full', 'require'],
    ['db', false, 'disable', undefined, 'verify-full', 'disable'],
    ['db', false, 'verify-full', 'disable', 'verify-full', undefined],
    ['db', false, 'disable', 'require', 'require', undefined],
    ['db', false, undefined, 'nonsense', 'verify-full', undefined],
    ['db', true, undefined, undefined, 'verify-full', undefined],
    ['db', true, 'disable', undefined, 'disable', undefined],
    ['db', true, 'disable', 'require', 'disable', undefined],
    ['db', true, undefined, 'prefer', 'prefer', undefined],
  ])('%s, own address: %s, sslmode=%s, PGSSLMODE=%s gives %s', (host, isOwnAddress, fromAddress, fromEnvironment, mode, ignored) => {
    expect(chooseTlsMode({ host, isOwnAddress, fromAddress, fromEnvironment })).toEqual(ignored ? { mode, ignored } : { mode });
  });
});

describe('findPassword', () => {
  const text = [
    '# comment',
    'db:5432:plan:ada:first',
    'db:*:*:ada:a\\:b\\\\c:d',
    'localhost:5432:*:bob:socket',
    'short:line',
    '*:*:*:eve:',
  ].join('\n');
  const target = { host: 'db', port: 5432, database: 'plan', user: 'ada' };
  test.each([
    [{}, 'first'],
    [{ database: 'other' }, 'a:b\\c:d'],
    [{ port: 6000 }, 'a:b\\c:d'],
    [{ host: 'evil' }, undefined],
    [{ user: 'bob', host: '/tmp' }, 'socket'],
    [{ user: 'bob' }, undefined],
    [{ user: 'eve' }, undefined],
  ])('%j gives %s', (change, expected) => {
    expect(findPassword(text, { ...target, ...change })).toBe(expected);
  });
});
