import { useEffect, useState } from 'preact/hooks';

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
  useEffect(() => {
    let last = select(store.get());
    // The value may have changed between rendering and subscribing.
    if (!Object.is(last, selected)) render({});
    return store.subscribe(() => {
      const next = select(store.get());
      if (Object.is(next, last)) return;
      last = next;
      render({});
    });
  }, [store]);
  return selected;
}
