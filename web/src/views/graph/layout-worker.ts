import { type LayoutInput, layoutGraph } from './layout.ts';

/** Lays out one graph after the other, so that the page stays responsive. */
addEventListener('message', ({ data }: MessageEvent<{ scope: string; input: LayoutInput }>) => {
  const startedMs = performance.now();
  const layout = layoutGraph(data.input);
  postMessage({ scope: data.scope, layout, durationMs: performance.now() - startedMs });
});
