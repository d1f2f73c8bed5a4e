import type { ExportedRun } from './trace-export.ts';
import { asText } from './trace-facts.ts';
import { listVerdicts } from './trace-verdicts.ts';

interface Descriptor {
  name: string;
  digest: { sha256: string };
  annotations?: Record<string, unknown>;
}

/** Formats runs as in-toto statements, one per line: the trace and its head, the artifacts, and the checks. Stored elsewhere, a statement
 *  reveals a trace that was rewritten as a whole. */
export function formatInToto(runs: ExportedRun[], { hash }: { hash(text: string): string }): string {
  return runs.map((run) => `${JSON.stringify(toStatement(run, hash))}\n`).join('');
}

function toStatement(run: ExportedRun, hash: (text: string) => string): Record<string, unknown> {
  const { runId, name, text, lines, head, record } = run;
  const verdicts = listVerdicts(run).flatMap((suite) => suite.verdicts);
  const listNames = (outcome: string): string[] =>
    verdicts.filter((one) => one.outcome === outcome).map((one) => `${one.suite} ${one.name}`);
  const failed = [...listNames('failed'), ...listNames('error')];
  const status = lines.findLast(({ line }) => line.event === 'run_completed')?.line.data.status;
  const started = lines.find(({ line }) => line.event === 'run_started')?.line.data;
  const manifest = record?.construct?.sha256 ?? asText(started?.manifest_sha256);
  const annotations = { run_id: runId, head, lines: lines.length };
  const trace: Descriptor = { name, digest: { sha256: hash(text) }, annotations };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [trace, ...listArtifacts(run)],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      // A run that did not succeed has failed, even if all of its checks passed.
      result: status !== 'success' ? 'FAILED' : listNames('warned').length + failed.length > 0 ? 'WARNED' : 'PASSED',
      configuration: manifest ? [{ name: record?.construct?.file ?? 'construct.yaml', digest: { sha256: manifest } }] : [],
      passedTests: listNames('passed'),
      warnedTests: listNames('warned'),
      failedTests: failed,
    },
  };
}

/** Each artifact with the hash that the last execution to write it recorded. */
function listArtifacts({ lines }: ExportedRun): Descriptor[] {
  const found = new Map<string, Descriptor>();
  for (const { line } of lines) {
    const summary = line.event === 'execution_complete' ? (line.data.outputs_summary as { artifacts?: unknown } | undefined) : undefined;
    for (const one of Array.isArray(summary?.artifacts) ? (summary.artifacts as ({ path?: unknown; checksum?: unknown } | null)[]) : []) {
      const [path, sha256] = [asText(one?.path), asText(one?.checksum)?.replace(/^sha256:/, '')];
      if (path !== undefined && sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256)) found.set(path, { name: path, digest: { sha256 } });
    }
  }
  return [...found.values()];
}
