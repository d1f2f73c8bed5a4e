import { Worker } from 'node:worker_threads';

/** Says on the terminal, once a second has passed, that work goes on and for how long; gone without a trace when it ends.
 *  In a thread of its own, because the store keeps this one busy. */
export function showElapsedTime(what: string): () => void {
  const shown = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(ticker, { eval: true, workerData: { what, shown } });
  worker.unref();
  return () => {
    // Whoever takes the flag first: no line appears after it was cleared.
    const wasShown = Atomics.exchange(shown, 0, endedState) === shownState;
    void worker.terminate();
    if (wasShown) process.stderr.write('\r\u001b[K');
  };
}

const shownState = 1;
const endedState = 2;

const ticker = `
const { writeSync } = require('node:fs');
const { what, shown } = require('node:worker_threads').workerData;
const begun = Date.now();
setInterval(() => {
  if (Atomics.compareExchange(shown, 0, 0, ${shownState}) === ${endedState}) return;
  writeSync(2, '\\r' + what + ': ' + Math.floor((Date.now() - begun) / 1000) + ' s\\u001b[K');
}, 1000);
`;
