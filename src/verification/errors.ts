import { addErrorRows, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of verification. A file that throws one imports this file; without it the catalog has no row for the code. */
const rows = {
  E_VERIFICATION_INIT_FAILED: row<{ taskId: string; problem: string; fix: string }>({
    exit: 40,
    http: 409,
    message: (d) => `${d.taskId} cannot be verified: ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_GATE_UPDATE_FAILED: row<{
    taskId: string;
    gate: string;
    problem: string;
    fix: string;
    forms?: string[];
    tools?: string[];
    newTool?: string;
    /** Commands for a project without a tool: a person configures one, an agent blocks the task. */
    missingTool?: { configure: string; block: string };
  }>({
    exit: 41,
    http: 422,
    message: (d) => `${d.taskId} ${d.gate}: ${d.problem}`,
    fix: (d) => d.fix,
    alternatives: (d) => [
      ...(d.missingTool
        ? [
            { action: 'Configure the tests', command: d.missingTool.configure },
            { action: 'Block the task until then', command: d.missingTool.block },
          ]
        : d.newTool
          ? [{ action: 'Configure the tool', command: `cleo config set verification.tools.${d.newTool} 'npm test'` }]
          : []),
      ...(d.newTool === 'test' ? [{ action: 'Detect the test command', command: 'cleo init --detect' }] : []),
    ],
  }),
  E_INVALID_GATE: row<{ gate: string; valid: readonly string[]; fix: string }>({
    exit: 42,
    http: 400,
    message: (d) => `${JSON.stringify(d.gate)} is not a gate; use ${d.valid.join(', ')}`,
    fix: (d) => d.fix,
  }),
  E_INVALID_AGENT: row<{ agent: string; problem: string; fix: string }>({
    exit: 43,
    http: 400,
    message: (d) => `${JSON.stringify(d.agent)} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_MAX_ROUNDS_EXCEEDED: row<{ taskId: string; failed: number }>({
    exit: 44,
    http: 409,
    message: (d) => `${d.taskId} has failed ${d.failed} rounds; a person has to look at the work`,
    fix: (d) => `cleo verify ${d.taskId}`,
    alternatives: (d) => [
      { action: 'Block it for a person', command: `cleo update ${d.taskId} --blocked-by 'verification failed ${d.failed} times'` },
      { action: 'Allow more rounds', command: `cleo config set verification.maxRounds ${d.failed + 5}` },
    ],
  }),
  E_GATE_DEPENDENCY: row<{ taskId: string; missing: string[] }>({
    exit: 45,
    http: 409,
    message: (d) => `${d.taskId} needs evidence for ${d.missing.join(', ')}`,
    fix: (d) => `cleo verify ${d.taskId}`,
  }),
  E_EVIDENCE_STALE: row<{ taskId: string; stale: { gate: string; files: string[] }[]; fix: string }>({
    exit: 45,
    http: 409,
    message: (d) => `${d.taskId}: evidence files have changed: ${d.stale.map((s) => `${s.files.join(', ')} (${s.gate})`).join('; ')}`,
    fix: (d) => d.fix,
  }),
  E_VERIFICATION_LOCKED: row<{ taskId: string; problem: string; fix: string }>({
    exit: 46,
    http: 409,
    message: (d) => `${d.taskId} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_ROUND_MISMATCH: row<{ taskId: string; round: number; given: number; fix: string }>({
    exit: 47,
    http: 409,
    message: (d) => `${d.taskId} is in round ${d.round}, not ${d.given}`,
    fix: (d) => d.fix,
  }),
  E_CIRCULAR_VALIDATION: row<{ taskId: string; agent: string; problem?: string }>({
    exit: 82,
    http: 409,
    message: (d) =>
      d.problem
        ? `${d.taskId} has to be judged by another agent than the one that worked on it: ${d.problem}`
        : `${d.agent} did the work of ${d.taskId}; another agent has to judge it`,
    fix: (d) => `cleo verify ${d.taskId}`,
    alternatives: (d) => [
      { action: 'As another agent, read the criteria', command: `cleo validator pull ${d.taskId}` },
      { action: 'Spawn a validator', command: `cleo orchestrate spawn ${d.taskId} --role validator` },
    ],
  }),
} satisfies Record<string, ErrorRow<never>>;

type VerificationRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends VerificationRows {}
}

addErrorRows(rows);
