import type { InferOutput } from 'valibot';
import type { RankKey } from '#core/rules/rank.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { sha256 } from '#lib/digest.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { CitationFlag, Memory, MemoryHit, MemoryRecord, MemorySummary, MemoryType, ProofSummary } from '../model/memory.ts';

/** Hashes type and content, which identify an entry; the title does not count. Content cannot contain NUL, the separator. */
export const hashMemory = (type: MemoryType, content: string): string => sha256(`${type}\0${content}`);

/** The content that a person decides about, as a signature covers it. */
export const toDecidedContent = ({ id, title, content }: Pick<MemoryRecord, 'id' | 'title' | 'content'>): Record<string, string> => ({
  id,
  title,
  content,
});

/** Summarizes the stored proof of a decision: the method, and the signer of a signature. */
function toProofSummary(proof: string | undefined): InferOutput<typeof ProofSummary> | undefined {
  const { via, token, evidence } = (parseJson(proof ?? '') ?? {}) as { via?: string; token?: string; evidence?: Record<string, unknown> };
  if (typeof via !== 'string') return undefined;
  const read = (name: string): string | undefined => (typeof evidence?.[name] === 'string' ? (evidence[name] as string) : undefined);
  return { via, ...defined({ token, signer: read('signer'), fingerprint: read('fingerprint'), terminal: read('terminal') }) };
}

/** Derives a title from a text: its first line, cut to the maximum length. */
export function deriveTitle(content: string): string {
  const [line = ''] = content
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, '\n')
    .trim()
    .split('\n');
  const plain = line.replace(/^[#>*\-\s]+/, '').trim() || line.trim();
  if ([...plain].length <= maxTitleLength) return plain;
  const cut = [...plain].slice(0, maxTitleLength - 1).join('');
  return `${cut.slice(0, cut.lastIndexOf(' ') > maxTitleLength / 2 ? cut.lastIndexOf(' ') : cut.length)}…`;
}

const maxTitleLength = 80;

export const toMemorySummary = ({ id, type, title, state, supersededBy }: MemoryHit): InferOutput<typeof MemorySummary> => ({
  id,
  type,
  title,
  confirmation_state: state,
  ...defined({ supersededBy }),
});

/** Converts an entry to its complete result, without empty fields. */
export function toMemory(entry: MemoryRecord, cites: MemoryHit[], stale: CitationFlag[]): InferOutput<typeof Memory> {
  const { decidedBy, decidedAt, decidedReason, sessionId } = entry;
  const proof = toProofSummary(entry.proof);
  const source = findProvenance(entry);
  return {
    ...toMemorySummary(entry),
    content: entry.content,
    source_table: source.table,
    source_rowid: source.rowid,
    ...omitEmpty({
      tags: entry.tags,
      tasks: entry.tasks,
      decidedBy,
      decidedAt,
      reason: decidedReason,
      proof,
      cites: cites.map(({ id }) => id),
      stale: stale.map(({ cites, supersededBy }) => ({ id: cites, supersededBy })),
      sessionId,
    }),
    createdAt: entry.createdAt,
    createdBy: entry.agentId,
  };
}

/** Returns the record that an entry came from: the given source, else the session or the task it was written for, else its author. */
function findProvenance({ source, sessionId, tasks, agentId }: MemoryRecord): { table: string; rowid: string } {
  if (source) return source;
  if (sessionId) return { table: 'session', rowid: sessionId };
  return tasks[0] ? { table: 'task', rowid: tasks[0] } : { table: 'agent', rowid: agentId };
}

/** Ranks rejected and superseded entries last; among equal matches, accepted before proposed. */
export const getMemoryRankKey = ({ state, seq }: MemoryHit & { seq: number }): RankKey => ({
  outdated: Number(state === 'rejected' || state === 'superseded'),
  early: Number(state === 'proposed'),
  late: 0,
  seq,
});
