import { useLayoutEffect, useRef } from 'preact/hooks';
import { createStore } from './store.ts';

export interface KeyShortcut {
  /** A key such as `c`, a sequence such as `g b`, or a combination such as `Ctrl+k`. */
  keys: string;
  about: string;
  run: () => void;
}

interface ShortcutGroup {
  title: string;
  shortcuts: KeyShortcut[];
}

/** The shortcuts of everything on the screen; `?` lists them. */
export const shortcutGroups = createStore<ShortcutGroup[]>([]);

/** Registers shortcuts while a component is on the screen. The group always has the functions of the latest rendering: an effect would
 *  replace them a frame later, and a key that follows another one at once would act on the state before it. */
export function useShortcuts(title: string, shortcuts: KeyShortcut[]): void {
  const { current: group } = useRef<ShortcutGroup>({ title, shortcuts });
  Object.assign(group, { title, shortcuts });
  useLayoutEffect(() => {
    shortcutGroups.update((all) => [...all, group]);
    return () => shortcutGroups.update((all) => all.filter((each) => each !== group));
  }, [group]);
}

const sequenceMs = 1500;

/** Runs shortcuts, except while a person types or a dialog is open. */
export function startShortcuts(): void {
  let first = '';
  let firstMs = 0;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const hasModifier = event.ctrlKey || event.metaKey;
    const key = hasModifier ? `Ctrl+${event.key.toLowerCase()}` : event.key;
    if ((!hasModifier && isTyping(event.target)) || event.altKey || document.querySelector('dialog[open]')) return;
    const all = shortcutGroups.get().flatMap(({ shortcuts }) => shortcuts);
    const isSequence = first !== '' && event.timeStamp - firstMs < sequenceMs;
    const found =
      (isSequence ? all.findLast(({ keys }) => keys === `${first} ${key}`) : undefined) ?? all.findLast(({ keys }) => keys === key);
    first = found || key.length > 1 ? '' : key;
    firstMs = event.timeStamp;
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
