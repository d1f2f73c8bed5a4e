import type { ReviewEvent } from '../model/judge.ts';
import type { Ground } from './ground-port.ts';
import type { Platform } from './port.ts';

/** What was asked of people and what they said, line after line. A line that is no event is passed over. */
export const reviewsOf = ({ files }: Pick<Platform, 'files'>, path: string): Ground['reviews'] => ({
  read: () => (files.readText(path) ?? '').split('\n').flatMap(eventOf),
  append: (event) => files.appendLine(path, JSON.stringify(event)),
});

function eventOf(line: string): ReviewEvent[] {
  try {
    const value = JSON.parse(line) as ReviewEvent;
    return typeof value?.review_id === 'string' && typeof value.event === 'string' ? [value] : [];
  } catch {
    return [];
  }
}
