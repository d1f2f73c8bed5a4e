import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writePrivate } from './files.ts';
import type { Passphrase } from './port.ts';

/** Cost of one guess: 128 MiB and a quarter of a second. */
const cost = { N: 2 ** 17, r: 8, p: 1 };
const maxMemoryBytes = 2 ** 28;
const hashBytes = 32;

/** Failures that cost only a moment; each further one doubles the time until the next try. */
const freeFailures = 3;
const maxLockSeconds = 900;
/** The longest time until a wrong passphrase is answered. */
const maxDelayMs = 4000;

interface StoredPassphrase {
  algorithm: 'scrypt';
  N: number;
  r: number;
  p: number;
  salt: string;
  hash: string;
}

/** The passphrase of the user, hashed with scrypt in a file of the user's cleo folder that only the user can read. */
export function createPassphrase(home: string): Passphrase {
  const path = join(home, 'passphrase.json');
  const failurePath = join(home, 'passphrase-failures.json');
  return {
    path,
    isSet: () => readStored(path) !== undefined,
    getId() {
      const stored = readStored(path);
      return stored && createHash('sha256').update(`${stored.salt} ${stored.hash}`).digest('hex').slice(0, 16);
    },
    async set(text) {
      const salt = randomBytes(16);
      const hash = await derive(text, salt, cost);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const stored: StoredPassphrase = { algorithm: 'scrypt', ...cost, salt: salt.toString('base64'), hash: hash.toString('base64') };
      writePrivate(path, `${JSON.stringify(stored)}\n`);
      removeQuietly(failurePath);
    },
    async check(text, now) {
      const stored = readStored(path);
      if (!stored) return false;
      const expected = Buffer.from(stored.hash, 'base64');
      const given = await derive(text, Buffer.from(stored.salt, 'base64'), stored);
      if (expected.length === given.length && timingSafeEqual(expected, given)) {
        removeQuietly(failurePath);
        return true;
      }
      const { count } = readFailures(failurePath);
      writePrivate(failurePath, `${JSON.stringify({ count: count + 1, at: now })}\n`);
      await sleep(Math.min(1000 * 2 ** count, maxDelayMs));
      return false;
    },
    getLockSeconds(now) {
      const { count, at } = readFailures(failurePath);
      if (count < freeFailures) return 0;
      const lock = Math.min(2 ** (count - freeFailures + 1), maxLockSeconds);
      const passed = (Date.parse(now) - Date.parse(at)) / 1000;
      // A clock that was set back must not lock the user out for longer than the lock itself.
      return passed < 0 ? lock : Math.max(0, Math.ceil(lock - passed));
    },
  };
}

function derive(text: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(text.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: maxMemoryBytes }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}

function readStored(path: string): StoredPassphrase | undefined {
  const stored = readJson(path) as Partial<StoredPassphrase> | undefined;
  const isComplete =
    stored?.algorithm === 'scrypt' &&
    [stored.N, stored.r, stored.p].every(Number.isSafeInteger) &&
    [stored.salt, stored.hash].every((part) => typeof part === 'string' && part !== '');
  return isComplete ? (stored as StoredPassphrase) : undefined;
}

function readFailures(path: string): { count: number; at: string } {
  const { count, at } = (readJson(path) ?? {}) as { count?: unknown; at?: unknown };
  return { count: Number.isSafeInteger(count) ? Number(count) : 0, at: typeof at === 'string' ? at : '' };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Missing or damaged: no passphrase is set.
    return undefined;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed.
  }
}
