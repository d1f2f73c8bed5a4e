/** The part of Bun's API that is used here. */
interface BunRuntime {
  unsafe: { setJITPolicy?(scale: number): void };
}

/** Lets the native build compile frequently called functions again, as Bun does by default. It starts with a policy for short commands, which
 *  end before compiled code pays off. Does nothing in Node. */
export function compileEagerly(): void {
  (globalThis as { Bun?: BunRuntime }).Bun?.unsafe.setJITPolicy?.(1);
}
