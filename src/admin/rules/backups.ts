interface Kept {
  id: string;
  kind: 'manual' | 'automatic' | 'replaced';
  createdAt: string;
}

/** Of backups, newest first, those that are no longer kept. Of the automatic ones of a day the first is kept, which is how
 *  the day began; the newest of all is always kept, whatever made it; of the rest the last `keep`. */
export function superfluous(backups: Kept[], keep: number): string[] {
  const firstOfDay = new Map<string, string>();
  for (const { id, kind, createdAt } of backups) if (kind === 'automatic') firstOfDay.set(createdAt.slice(0, 10), id);
  const kept = backups.filter(
    ({ id, kind, createdAt }, i) => i === 0 || kind !== 'automatic' || firstOfDay.get(createdAt.slice(0, 10)) === id,
  );
  const rest = new Set(kept.slice(0, Math.max(keep, 1)).map(({ id }) => id));
  return backups.filter(({ id }) => !rest.has(id)).map(({ id }) => id);
}
