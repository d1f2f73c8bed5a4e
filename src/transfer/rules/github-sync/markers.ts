import { defined } from '#lib/collections.ts';
import type { Note } from '#tasks/model/task.ts';
import { normalizeText } from '../source-values.ts';

/** An issue or a comment that a sync creates ends with a comment in HTML that names its task or note. GitHub does not show it. After a
 *  kill between the request and the write to the store, the next sync recognizes by it what it has created. */
// Repetitions are bounded, so that no text can cause excessive backtracking.
const issueMarker = /\n{0,2}<!-- cleo-task ([0-9a-z]{20}) -->[ \t]{0,9}\n{0,2}/;
const noteMarker = /<!-- cleo-note (\S{1,40}) (\S{1,400}) -->$/;

export const formatIssueMarker = (uid: string): string => `<!-- cleo-task ${uid} -->`;

export const parseIssueMarker = (body: string): string | undefined => issueMarker.exec(body)?.[1];

export const removeIssueMarker = (body: string): string => body.replace(issueMarker, '\n').replace(/\n$/, '');

export const formatComment = ({ at, by, text }: Note): string => `${text}\n\n<!-- cleo-note ${at} ${encodeURIComponent(by)} -->`;

/** Splits a comment into its text and the note that it was made from. */
export function parseComment(body: string): { text: string; note?: { at: string; by: string } } {
  const normalized = normalizeText(body).trimEnd();
  const [marker, at, by] = noteMarker.exec(normalized) ?? [];
  const note = at && by ? { at, by: decodeName(by) } : undefined;
  return defined({ text: (marker ? normalized.slice(0, -marker.length) : normalized).trim(), note });
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
