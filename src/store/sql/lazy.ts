/** Returns a function that loads a module. Once it is loaded, the function returns it without a promise. */
export function createLoader<M>(load: () => Promise<M>): () => M | Promise<M> {
  let loaded: M | undefined;
  return () =>
    loaded ??
    load().then((module) => {
      loaded = module;
      return module;
    });
}

/** Adds methods to `ready` whose code is loaded when the first of them is called. */
export function withLazyMethods<R extends object, M, L extends object>(
  ready: R,
  load: () => M | Promise<M>,
  create: (module: M) => L,
): R & L {
  let created: L | undefined;
  return new Proxy(ready, {
    get(known, name) {
      // `await` looks for a method `then` on the object itself.
      if (name in known || name === 'then' || typeof name === 'symbol') return Reflect.get(known, name);
      const findMethod = (module: M) => {
        created ??= create(module);
        return Reflect.get(created, name) as (...args: unknown[]) => unknown;
      };
      const module = load();
      return module instanceof Promise ? async (...args: unknown[]) => findMethod(await module)(...args) : findMethod(module);
    },
  }) as R & L;
}

/** Creates an object whose parts are created when they are used for the first time: a transaction uses few parts of its store. */
export function createParts<T extends object, C>(create: { [K in keyof T]: (context: C) => T[K] }, context: C): T {
  return new Proxy({} as T, {
    get(known, name) {
      const key = name as keyof T;
      known[key] ??= create[key]?.(context);
      return known[key];
    },
  });
}
