/** The questions at hand, and behind them those whose code is loaded when the first of them is asked. */
export function withLater<R extends object, L extends object>(ready: R, load: () => Promise<L>): R & L {
  return new Proxy(ready, {
    get(known, name) {
      // Whoever awaits the object itself looks for `then`.
      if (name in known || name === 'then' || typeof name === 'symbol') return Reflect.get(known, name);
      return async (...asked: unknown[]) => (Reflect.get(await load(), name) as (...asked: unknown[]) => unknown)(...asked);
    },
  }) as R & L;
}
