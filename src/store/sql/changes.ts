import type { Changes } from '#core/model/audit.ts';

/** Records an update, unless the same call created the item or has updated it before. */
export function noteUpdate({ created, updated }: Changes, id: string): void {
  if (!created.includes(id) && !updated.includes(id)) updated.push(id);
}
