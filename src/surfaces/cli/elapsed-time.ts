import { Worker } from 'node:worker_threads';

/** Shows the elapsed time of long work on standard error, once a second, until the returned function clears it. It runs in a worker
 *  thread, because the store blocks the main thread. */
export function showElapsedTime(label: string): () => void {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(ticker, { eval: true, workerData: { label, state } });
  worker.unref();
  return () => {
    // Exchanging the state is atomic, so the worker draws no line after this one cleared it.
    const wasShown = Atomics.exchange(state, 0, endedState) === shownState;
    void worker.terminate();
    if (wasShown) process.stderr.write('\r\u001b[K');
  };
}

const shownState = 1;
const endedState = 2;

const ticker = `
const { writeSync } = require('node:fs');
const { label, state } = require('node:worker_threads').workerData;
const startedAt = Date.now();
setInterval(() => {
  if (Atomics.compareExchange(state, 0, 0, ${shownState}) === ${endedState}) return;
  writeSync(2, '\\r' + label + ': ' + Math.floor((Date.now() - startedAt) / 1000) + ' s\\u001b[K');
}, 1000);
`;
