import { expect, test } from 'vitest';
import { createRateLimiter } from './rate-limit.ts';

test('allows a burst, then refills over time, for each key', () => {
  const rate = createRateLimiter(60);
  for (let i = 0; i < 60; i++) expect(rate.take('a', 0)).toBe(0);
  expect(rate.take('a', 0)).toBe(1);
  expect(rate.take('b', 0)).toBe(0);
  expect(rate.take('a', 1000)).toBe(0);
  expect(rate.take('a', 1000)).toBe(1);
  for (let i = 0; i < 60; i++) expect(rate.take('a', 200_000)).toBe(0);
  expect(rate.take('a', 200_000)).toBe(1);
});

test('returns the time to wait', () => {
  const rate = createRateLimiter(2);
  rate.take('a', 0);
  rate.take('a', 0);
  expect(rate.take('a', 0)).toBe(30);
  expect(rate.take('a', 15_000)).toBe(15);
  expect(rate.take('a', 30_000)).toBe(0);
});

test('takes several calls at once, or none of them', () => {
  const rate = createRateLimiter(60);
  expect(rate.take('a', 0, 50)).toBe(0);
  expect(rate.take('a', 0, 20)).toBe(10);
  expect(rate.take('a', 0, 10)).toBe(0);
  expect(rate.take('a', 0)).toBe(1);
});

test('has no limit at 0', () => {
  const free = createRateLimiter(0);
  for (let i = 0; i < 1000; i++) expect(free.take('a', 0)).toBe(0);
});

test('limits the number of keys', () => {
  const rate = createRateLimiter(1);
  rate.take('first', 0);
  for (let i = 0; i < 10_000; i++) rate.take(`key ${i}`, 0);
  expect(rate.take('key 9999', 0)).toBe(60);
  expect(rate.take('first', 0)).toBe(0);
});
