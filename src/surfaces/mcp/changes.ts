import type { Envelope } from '#dispatch/dispatch.ts';
import { briefingUri, taskUri } from './resources.ts';

/** Finds the resources that a write changed; undefined if it changed nothing. */
export function findChangedResources({ _meta, success, data }: Envelope): { uris: string[] } | undefined {
  const {
    created = [],
    updated = [],
    deleted = [],
    dryRun,
  } = (data ?? {}) as Record<'created' | 'updated' | 'deleted', string[] | undefined> & { dryRun?: true };
  const ids = [...new Set([...created, ...updated, ...deleted])];
  if (!success || dryRun || _meta.replayed || ids.length === 0) return undefined;
  return { uris: toChangedUris(ids) };
}

export const toChangedUris = (ids: string[]): string[] => [...new Set(ids.flatMap(toUris)), briefingUri];

function toUris(id: string): string[] {
  if (/^T\d+$/.test(id)) return [taskUri(id)];
  return id.startsWith('session-') ? [`cleo://grade/${id}`] : [];
}
