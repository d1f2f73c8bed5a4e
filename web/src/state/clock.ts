import { createStore, useStore } from './store.ts';

const tickMs = 20_000;

/** The current time, which ages on the screen are relative to. */
const clock = createStore(new Date().toISOString());
setInterval(() => clock.set(new Date().toISOString()), tickMs);

export const useNow = (): string => useStore(clock);
