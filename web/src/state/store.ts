import { useEffect, useRef, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  update(change: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const store: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    update: (change) => store.set(change(value)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return store;
}

/** Returns the value of a store, or what `select` takes of it. The component renders again only if that changes. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S;
export function useStore<T, S>(store: Store<T>, select: (value: T) => S | T = (value) => value): S | T {
  const [, render] = useState({});
  const selected = select(store.get());
  // The function and the value of the latest rendering: with those of the first one, a component whose id changes would follow the old id.
  const { current: latest } = useRef({ select, selected });
  Object.assign(latest, { select, selected });
  useEffect(() => {
    const renderIfChanged = (): void => {
      if (!Object.is(latest.select(store.get()), latest.selected)) render({});
    };
    // The value may have changed between rendering and subscribing.
    renderIfChanged();
    return store.subscribe(renderIfChanged);
  }, [store]);
  return selected;
}
