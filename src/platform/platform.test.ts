import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { createPlatform } from './platform.ts';

test('finds the login name without a variable of the environment', () => {
  expect(createPlatform({ HOME: '/nonexistent' }, '/', '0').getLogin()).toBe(userInfo().username);
});

test('prefers the variables of the environment', () => {
  expect(createPlatform({ HOME: '/nonexistent', USER: 'sam' }, '/', '0').getLogin()).toBe('sam');
});
