import { useEffect, useRef, useState } from 'preact/hooks';
import type { GraphLayout, LayoutInput } from './layout.ts';
import workerUrl from './layout-worker.ts?worker&url';

interface LayoutAnswer {
  scope: string;
  layout: GraphLayout;
  durationMs: number;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): string };
}

/** The policy that the page allows. Its only address is that of the worker. A browser allows one policy of a name, so it is created once. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('cleo', {
  createScriptURL: (url) => {
    if (url === workerUrl) return url;
    throw new TypeError(`${url} is not the address of the worker`);
  },
});

interface LayoutState {
  layout: GraphLayout | undefined;
  /** The scope for which the layout was computed. */
  scope: string | undefined;
  hasFailed: boolean;
}

/** Lays out a graph in a worker. The last layout stays until the next one is finished. A graph of the same tasks, waves and dependencies is
 *  not laid out again. */
export function useLayout(scope: string, input: LayoutInput | undefined): LayoutState {
  const worker = useRef<Worker | undefined>();
  const [answer, setAnswer] = useState<LayoutAnswer | undefined>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const started = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
    started.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => {
      performance.measure('graph-layout', { start: performance.now() - data.durationMs, duration: data.durationMs });
      setAnswer(data);
    };
    started.onerror = () => setFailed(true);
    worker.current = started;
    return () => started.terminate();
  }, []);
  const key = input && JSON.stringify([scope, input]);
  useEffect(() => {
    if (key !== undefined && input) worker.current?.postMessage({ scope, input });
  }, [key]);
  return { layout: answer?.layout, scope: answer?.scope, hasFailed };
}
