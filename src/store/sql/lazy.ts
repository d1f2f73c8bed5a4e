/** Adds methods to `ready` whose code is loaded when the first of them is called. */
export function withLazyMethods<R extends object, L extends object>(ready: R, load: () => Promise<L>): R & L {
  let loaded: Promise<L> | undefined;
  return new Proxy(ready, {
    get(known, name) {
      // `await` looks for a method `then` on the object itself.
      if (name in known || name === 'then' || typeof name === 'symbol') return Reflect.get(known, name);
      return async (...args: unknown[]) => {
        loaded ??= load();
        return (Reflect.get(await loaded, name) as (...args: unknown[]) => unknown)(...args);
      };
    },
  }) as R & L;
}
