import { expect, test } from 'vitest';
import { selectProgramEnvironment, selectSkillEnvironment } from './program-environment.ts';

test.each([
  ['PATH', '/bin', true],
  ['Path', 'C:\\Windows', true],
  ['LC_ALL', 'C', true],
  ['XDG_CACHE_HOME', '/home/ada/.cache', true],
  ['JAVA_HOME', '/usr/lib/jvm', true],
  ['https_proxy', 'http://proxy.example:3128', true],
  ['HTTPS_PROXY', 'http://ada:pa55@proxy.example:3128', false],
  ['CI', 'true', true],
  ['CLAUDECODE', '1', true],
  ['CLAUDE_CODE_SESSION_ID', 'c-1', true],
  ['CLEO_TOKEN', 'cleo_x', false],
  ['CLEO_DATABASE_URL', 'postgres://localhost/cleo', false],
  ['PGPASSWORD', 'secret', false],
  ['ANTHROPIC_API_KEY', 'sk-x', false],
  ['SSH_AUTH_SOCK', '/tmp/agent', false],
  ['XDG_SECRET', 'x', false],
  ['MY_SETTING', 'x', false],
])('passes %s=%s to programs of a project: %s', (name, value, isPassed) => {
  expect(selectProgramEnvironment({ [name]: value })).toEqual(isPassed ? { [name]: value } : {});
});

test('passes declared variables whatever their name', () => {
  const env = { MY_API_KEY: 'k', OTHER: 'o', HTTPS_PROXY: 'http://a:b@c', UNSET: undefined };
  expect(selectProgramEnvironment(env, ['MY_API_KEY', 'HTTPS_PROXY', 'UNSET'])).toEqual({ MY_API_KEY: 'k', HTTPS_PROXY: 'http://a:b@c' });
});

test('a skill receives the basic and the declared variables only', () => {
  const env = { PATH: '/bin', JAVA_HOME: '/jvm', API_TOKEN: 't', CI: 'true' };
  expect(selectSkillEnvironment(env, ['API_TOKEN'])).toEqual({ PATH: '/bin', API_TOKEN: 't' });
});
