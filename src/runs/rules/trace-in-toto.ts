import type { ExportedRun } from './trace-export.ts';
import { textOf } from './trace-facts.ts';
import { verdictsOf } from './trace-verdicts.ts';

interface Descriptor {
  name: string;
  digest: { sha256: string };
  annotations?: Record<string, unknown>;
}

/** What a run has to show for itself, one in-toto statement a line: the trace and its head, the files it made, and what was checked.
 *  Kept elsewhere, it tells of a trace that was rewritten as a whole. */
export function inTotoText(runs: ExportedRun[], { hash }: { hash(text: string): string }): string {
  return runs.map((run) => `${JSON.stringify(statementOf(run, hash))}\n`).join('');
}

function statementOf(run: ExportedRun, hash: (text: string) => string): Record<string, unknown> {
  const { runId, name, text, lines, head, record } = run;
  const verdicts = verdictsOf(run).flatMap((suite) => suite.verdicts);
  const named = (outcome: string): string[] => verdicts.filter((one) => one.outcome === outcome).map((one) => `${one.suite} ${one.name}`);
  const failed = [...named('failed'), ...named('error')];
  const ended = lines.findLast(({ line }) => line.event === 'run_completed')?.line.data.status;
  const started = lines.find(({ line }) => line.event === 'run_started')?.line.data;
  const manifest = record?.construct?.sha256 ?? textOf(started?.manifest_sha256);
  const annotations = { run_id: runId, head, lines: lines.length };
  const trace: Descriptor = { name, digest: { sha256: hash(text) }, annotations };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [trace, ...artifactsOf(run)],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      // A run that has not ended well has not passed, whatever its checks say.
      result: ended !== 'success' ? 'FAILED' : named('warned').length + failed.length > 0 ? 'WARNED' : 'PASSED',
      configuration: manifest ? [{ name: record?.construct?.file ?? 'construct.yaml', digest: { sha256: manifest } }] : [],
      passedTests: named('passed'),
      warnedTests: named('warned'),
      failedTests: failed,
    },
  };
}

/** What each file was when the last execution that made it had ended. */
function artifactsOf({ lines }: ExportedRun): Descriptor[] {
  const found = new Map<string, Descriptor>();
  for (const { line } of lines) {
    const summary = line.event === 'execution_complete' ? (line.data.outputs_summary as { artifacts?: unknown } | undefined) : undefined;
    for (const one of Array.isArray(summary?.artifacts) ? (summary.artifacts as ({ path?: unknown; checksum?: unknown } | null)[]) : []) {
      const [path, sha256] = [textOf(one?.path), textOf(one?.checksum)?.replace(/^sha256:/, '')];
      if (path !== undefined && sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256)) found.set(path, { name: path, digest: { sha256 } });
    }
  }
  return [...found.values()];
}
