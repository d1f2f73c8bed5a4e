import { readReviews } from '../rules/review-state.ts';
import type { Ground } from './ground-port.ts';
import type { Platform } from './port.ts';

/** What was asked of people and what they said, line after line. A line that is no event is passed over. */
export function reviewsOf({ files }: Pick<Platform, 'files'>, path: string): Ground['reviews'] {
  const text = (): string => files.readText(path) ?? '';
  return {
    text,
    read: () => readReviews(text()).events,
    append: (event) => files.appendLine(path, JSON.stringify(event)),
    alone: (work) => files.alone(path, work),
  };
}
