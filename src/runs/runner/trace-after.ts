import { redactorOf } from '#lib/redactor.ts';
import type { Ground, TraceAbout } from '#platform/ground-port.ts';
import type { TraceEvent, TraceLine } from '../model/trace.ts';
import { eventsIn } from '../rules/trace.ts';
import { verifyTrace } from '../rules/trace-verify.ts';
import { aloneWith } from './alone.ts';
import { findRun, isLive, recordOf } from './kept-runs.ts';

/** What is said of a run after it. */
export interface Afterword {
  data: Record<string, unknown>;
  about: TraceAbout;
}

/** Tells the trace of a run that has ended what it does not know yet; why it could not be told, where it could not. A run that goes on
 *  writes its own trace. One that is no longer what was written is told nothing: a chain that went on from there, with an end that is
 *  vouched for anew, would hide it. */
export async function tellAfter(
  ground: Ground,
  runId: string,
  event: TraceEvent,
  newsFor: (lines: TraceLine[]) => Afterword[],
): Promise<string | undefined> {
  const kept = ground.runs.list().includes(runId) ? findRun(ground, runId) : undefined;
  const news = (text: string): Afterword[] => newsFor(eventsIn(text).lines.map(({ line }) => line));
  // Mostly there is none, and nobody has to wait for anybody to see that.
  if (kept?.trace && news(ground.traces.read(kept.trace)?.text ?? '').length === 0) return undefined;
  return aloneWith(ground, runId, () => {
    const record = recordOf(ground, runId);
    const read = kept?.trace ? ground.traces.read(kept.trace) : undefined;
    if (!kept?.trace || !record || !read) return `the trace of ${runId} is gone, and is told nothing`;
    if (isLive(ground, record)) return `${runId} is still under way: its trace is told when it has ended`;
    const { broken } = verifyTrace(read, ground.hash, record);
    if (broken) return `the trace of ${runId} is told nothing: line ${broken.line} ${broken.problem}`;
    const untold = news(read.text);
    if (untold.length > 0) add(ground, runId, kept.trace, event, untold);
    return undefined;
  });
}

function add(ground: Ground, runId: string, name: string, event: TraceEvent, news: Afterword[]): void {
  const trace = ground.trace(runId, name, redactorOf({ secrets: [], patterns: [], allow: [], mac: ground.mac }));
  try {
    for (const { data, about } of news) trace.write(event, data, about);
  } finally {
    trace.close();
  }
  // Whatever else stands in the record stays there.
  const record = JSON.parse(ground.runs.read(runId, 'run.json')!) as object;
  ground.runs.write(runId, 'run.json', `${JSON.stringify({ ...record, head: trace.head(), lines: trace.lines() })}\n`);
}
