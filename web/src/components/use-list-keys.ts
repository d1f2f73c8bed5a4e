import { useShortcuts } from '../state/shortcuts.ts';

/** Moves the focus between the rows of a view with `j` and `k`. A row is an element with `data-nav`; its first link or button gets the focus,
 *  so that Enter opens it. */
export function useListKeys(container: string): void {
  const move = (step: number): void => {
    const rows = [...document.querySelectorAll<HTMLElement>(`${container} [data-nav]`)];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + step))];
    next?.querySelector<HTMLElement>('a[href], button:not(:disabled)')?.focus();
  };
  useShortcuts('Lists', [
    { keys: 'j', about: 'Next row', run: () => move(1) },
    { keys: 'k', about: 'Previous row', run: () => move(-1) },
  ]);
}
