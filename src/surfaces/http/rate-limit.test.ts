import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limit.ts';

test('so many at once, then as many as time gives back, each key for itself', () => {
  const rate = createRateLimiter(60);
  for (let i = 0; i < 60; i++) expect(rate.take('a', 0)).toBe(0);
  expect(rate.take('a', 0)).toBe(1);
  expect(rate.take('b', 0)).toBe(0);
  expect(rate.take('a', 1000)).toBe(0);
  expect(rate.take('a', 1000)).toBe(1);
  for (let i = 0; i < 60; i++) expect(rate.take('a', 200_000)).toBe(0);
  expect(rate.take('a', 200_000)).toBe(1);
});

test('a slow rate says how long to wait', () => {
  const rate = createRateLimiter(2);
  rate.take('a', 0);
  rate.take('a', 0);
  expect(rate.take('a', 0)).toBe(30);
  expect(rate.take('a', 15_000)).toBe(15);
  expect(rate.take('a', 30_000)).toBe(0);
});

test('0 is no limit', () => {
  const free = createRateLimiter(0);
  for (let i = 0; i < 1000; i++) expect(free.take('a', 0)).toBe(0);
});

test('keys without end do not fill the memory', () => {
  const rate = createRateLimiter(1);
  rate.take('first', 0);
  for (let i = 0; i < 10_000; i++) rate.take(`key ${i}`, 0);
  expect(rate.take('key 9999', 0)).toBe(60);
  expect(rate.take('first', 0)).toBe(0);
});
