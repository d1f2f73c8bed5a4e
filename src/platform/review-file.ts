import { dirname, join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { readReviews } from '#runs/rules/review-state.ts';
import type { Ground } from './ground-port.ts';
import type { Platform } from './port.ts';
import { takeRunLock } from './run-lock.ts';

const waitMs = 3000;

/** What was asked of people and what they said, line after line. A line that is no event is passed over. */
export function reviewsOf({ files }: Pick<Platform, 'files'>, path: string): Ground['reviews'] {
  const text = (): string => files.readText(path) ?? '';
  return {
    text,
    read: () => readReviews(text()).events,
    append: (event) => files.appendLine(path, JSON.stringify(event)),
    async alone(work) {
      const lock = await takeRunLock(join(dirname(path), 'runs'), 'reviews', waitMs).catch((error) => {
        throw inOurCodes(error, path);
      });
      try {
        return work();
      } finally {
        lock.release();
      }
    },
  };
}

/** Reviews have the codes of cleo, where runs have those of skills. */
function inOurCodes(error: unknown, path: string): unknown {
  if (!(error instanceof CleoError)) return error;
  if (error.exitCode === 75) return new CleoError('E_LOCK_TIMEOUT', { waitedMs: waitMs, path });
  return new CleoError('E_FILE_ERROR', { path, problem: error.message, fix: 'cleo doctor' }, { cause: error });
}
