import { asNumber, asText } from '#runs/rules/trace-facts.ts';

interface RunArtifact {
  path: string;
  checksum: string;
}

/** The result of one execution, as the trace stores it: secrets are redacted, and the settings of the construct decide what is stored. */
export interface ExecutionResult {
  key: string;
  phase: string;
  skill: string;
  artifacts: RunArtifact[];
  score?: { grade: string; percent: number; evaluator: string; dimensions: [name: string, score: number][] };
}

/** Collects the results of executions from the lines of a trace. A later line replaces an earlier one, as after a resume. */
export function collectResults(lines: unknown[]): ExecutionResult[] {
  const results = new Map<string, ExecutionResult>();
  for (const line of lines) {
    const { event, phase, skill, data: facts, execution_id: id } = toRecord(line);
    const data = toRecord(facts);
    const key = asText(id);
    if (key === undefined || (event !== 'execution_complete' && event !== 'score_recorded')) continue;
    const before = results.get(key) ?? { key, phase: asText(phase) ?? '', skill: asText(skill) ?? '', artifacts: [] };
    results.set(key, event === 'score_recorded' ? { ...before, ...readScore(data) } : { ...before, artifacts: readArtifacts(data) });
  }
  return [...results.values()];
}

function readArtifacts({ outputs_summary: summary }: Record<string, unknown>): RunArtifact[] {
  const { artifacts } = toRecord(summary);
  return (Array.isArray(artifacts) ? artifacts : []).flatMap((each) => {
    const { path, checksum } = toRecord(each);
    return typeof path === 'string' ? [{ path, checksum: asText(checksum) ?? '' }] : [];
  });
}

function readScore({ grade, percent, evaluator, dimensions }: Record<string, unknown>): Partial<ExecutionResult> {
  const scores = Object.entries(toRecord(dimensions)).flatMap(([name, score]): [string, number][] =>
    typeof score === 'number' ? [[name, score]] : [],
  );
  return {
    score: { grade: asText(grade) ?? '', percent: asNumber(percent) ?? 0, evaluator: asText(evaluator) ?? '', dimensions: scores },
  };
}

const toRecord = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? { ...value } : {});
