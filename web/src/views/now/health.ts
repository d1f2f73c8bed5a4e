import { useEffect } from 'preact/hooks';
import { toCallFailure } from '../../api/call-failure.ts';
import { query } from '../../api/client.ts';
import type { Result } from '../../api/operations.generated.ts';
import { connected } from '../../state/connection.ts';
import { createStore, useStore } from '../../state/store.ts';

export type Finding = Result<'admin.doctor'>['findings'][number];

/** `doctor` reads the whole log and every task: 0.4 s of the server with 10,000 tasks, in which it answers nothing else. So it runs after
 *  the page is drawn, only while a person looks at Now, and not again for this time. It writes nothing. */
const maxAgeMs = 30 * 60_000;
const checkMs = 60_000;
const delayMs = 1000;

const findings = createStore<Finding[]>([]);
let checkedAtMs = Number.NEGATIVE_INFINITY;

/** Returns the findings of the last check, and checks again when it is old. */
export function useFindings(): Finding[] {
  useEffect(() => {
    const first = setTimeout(() => void check(), delayMs);
    const timer = setInterval(() => void check(), checkMs);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, []);
  return useStore(findings);
}

async function check(): Promise<void> {
  const nowMs = performance.now();
  if (nowMs - checkedAtMs < maxAgeMs || document.hidden) return;
  checkedAtMs = nowMs;
  try {
    await connected;
    findings.set((await query('admin.doctor', {})).findings);
  } catch (error) {
    // Tasks without a parent make `doctor` fail; the error has all findings.
    const { details } = toCallFailure(error);
    if (Array.isArray(details.findings)) findings.set(details.findings);
    else checkedAtMs = Number.NEGATIVE_INFINITY;
  }
}
