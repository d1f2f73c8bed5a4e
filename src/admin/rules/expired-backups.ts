interface BackupEntry {
  id: string;
  kind: 'manual' | 'automatic' | 'replaced';
  createdAt: string;
}

/** Lists backups to delete, given all backups, newest first. The newest backup, the first automatic one of each day, and all others that
 *  are not automatic are candidates; the last `keep` of them stay. */
export function listExpiredBackups(backups: BackupEntry[], keep: number): string[] {
  const firstOfDay = new Map<string, string>();
  for (const { id, kind, createdAt } of backups) if (kind === 'automatic') firstOfDay.set(createdAt.slice(0, 10), id);
  const kept = backups.filter(
    ({ id, kind, createdAt }, i) => i === 0 || kind !== 'automatic' || firstOfDay.get(createdAt.slice(0, 10)) === id,
  );
  const rest = new Set(kept.slice(0, Math.max(keep, 1)).map(({ id }) => id));
  return backups.filter(({ id }) => !rest.has(id)).map(({ id }) => id);
}
