import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { PlanFileProblem } from '../../model/plan.ts';
import { splitConflict } from './conflict.ts';
import { formatPlanFile } from './format.ts';
import { mergeRecords, uniteRecords } from './merge.ts';
import { parsePlanFile } from './parse.ts';

type MergedPlanFile = { text: string } | { problem: PlanFileProblem; side: 'ours' | 'theirs' };

/** Merges two versions of a plan file, for the merge driver of git. The versions carry what they have seen, so the base decides only
 *  for files that are not records: there the side that changed wins, and of two changes the later one. */
export function mergePlanFiles(base: string, ours: string, theirs: string, merge = mergeRecords): MergedPlanFile {
  if (ours === theirs || theirs === base) return { text: ours };
  if (ours === base) return { text: theirs };
  if (isStatement(ours) && isStatement(theirs)) return { text: pickLater(ours, theirs) };
  const [one, other] = [parsePlanFile(ours), parsePlanFile(theirs)];
  if ('problem' in one) return { problem: one.problem, side: 'ours' };
  if ('problem' in other) return { problem: other.problem, side: 'theirs' };
  return { text: formatPlanFile(merge(one.record, other.record)) };
}

/** Merges the two versions that conflict markers separate. `mergePlanFiles` with the versions of the index of git is exact and should be
 *  preferred while git still has them. */
export function resolveConflict(text: string): MergedPlanFile {
  const sides = splitConflict(text);
  if (sides) return mergePlanFiles('', sides.ours, sides.theirs, uniteRecords);
  return { problem: { kind: 'conflict-markers', line: 1, message: 'has incomplete conflict markers; restore one version' }, side: 'ours' };
}

/** A grade is signed as a whole, so its fields cannot be merged. */
function isStatement(text: string): boolean {
  const json = parseJson(text);
  return isPlainObject(json) && typeof json.signature === 'string' && typeof json.at === 'string';
}

function pickLater(a: string, b: string): string {
  const [one, other] = [a, b].map((text) => `${(parseJson(text) as { at: string }).at}\n${text}`) as [string, string];
  return one > other ? a : b;
}
