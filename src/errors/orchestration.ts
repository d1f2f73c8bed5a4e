import { addRows } from './catalogue.ts';
import { type Row, row } from './row.ts';

const list = (names: string[]): string => names.join(', ');

/** Refusals of verification, of work that is handed out, and of stages. Whoever throws one imports this file; else the catalogue does not know it. */
const rows = {
  E_VERIFICATION_INIT_FAILED: row<{ taskId: string; problem: string; fix: string }>({
    exit: 40,
    http: 409,
    message: (d) => `${d.taskId} cannot be verified as it stands: ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_GATE_UPDATE_FAILED: row<{ taskId: string; gate: string; problem: string; forms?: string[]; tools?: string[]; newTool?: string }>({
    exit: 41,
    http: 422,
    message: (d) => `${d.taskId} ${d.gate}: ${d.problem}`,
    fix: (d) => `cleo verify ${d.taskId}`,
    alternatives: (d) =>
      d.newTool
        ? [
            { action: 'Say how it is run', command: `cleo config set verification.tools.${d.newTool} 'npm test'` },
            ...(d.newTool === 'test' ? [{ action: 'Let cleo find out', command: 'cleo init --detect' }] : []),
          ]
        : [],
  }),
  E_INVALID_GATE: row<{ gate: string; valid: readonly string[]; fix: string }>({
    exit: 42,
    http: 400,
    message: (d) => `${JSON.stringify(d.gate)} is no gate; they are ${d.valid.join(', ')}`,
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
    message: (d) => `${d.taskId} has failed ${d.failed} rounds: somebody has to look at the work`,
    fix: (d) => `cleo verify ${d.taskId}`,
    alternatives: (d) => [
      { action: 'Leave it to a person', command: `cleo update ${d.taskId} --blocked-by 'verification failed ${d.failed} times'` },
      { action: 'Allow more rounds', command: `cleo config set verification.maxRounds ${d.failed + 5}` },
    ],
  }),
  E_GATE_DEPENDENCY: row<{ taskId: string; missing: string[] }>({
    exit: 45,
    http: 409,
    message: (d) => `${d.taskId} needs evidence for ${list(d.missing)}`,
    fix: (d) => `cleo verify ${d.taskId}`,
  }),
  E_EVIDENCE_STALE: row<{ taskId: string; stale: { gate: string; files: string[] }[]; fix: string }>({
    exit: 45,
    http: 409,
    message: (d) => `${d.taskId}: changed since they were evidence: ${d.stale.map((s) => `${list(s.files)} (${s.gate})`).join('; ')}`,
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
  E_PROTOCOL_MISSING: row<{ taskId: string; problem: string; fix: string }>({
    exit: 60,
    http: 409,
    message: (d) => `${d.taskId} ${d.problem}`,
    fix: (d) => d.fix,
    alternatives: (d) => [{ action: 'Hand it out with its protocol', command: `cleo orchestrate spawn ${d.taskId}` }],
  }),
  E_INVALID_RETURN_MESSAGE: row<{ taskId: string; problem: string; fix: string }>({
    exit: 61,
    http: 422,
    message: (d) => `The return message of ${d.taskId} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_MANIFEST_ENTRY_MISSING: row<{ taskId: string; fix: string }>({
    exit: 62,
    http: 409,
    message: (d) => `The research manifest has no entry for ${d.taskId}`,
    fix: (d) => d.fix,
  }),
  E_SPAWN_VALIDATION_FAILED: row<{ taskId: string; findings: { code: string; message: string; fix: string }[] }>({
    exit: 63,
    http: 409,
    message: (d) => `${d.taskId} cannot be spawned: ${d.findings.map((f) => f.message).join('; ')}`,
    fix: (d) => d.findings[0]!.fix,
    alternatives: (d) => d.findings.slice(1).map((f) => ({ action: f.code, command: f.fix })),
  }),
  E_LIFECYCLE_GATE_FAILED: row<{
    epicId: string;
    stage: string;
    missing: string[];
    first: string;
    last: string;
    legacyExitCode: number;
  }>({
    exit: 80,
    http: 409,
    message: (d) => `${d.epicId} cannot enter ${d.stage} before ${list(d.missing)}`,
    fix: (d) => `cleo lifecycle skip ${d.epicId} ${d.first} --through ${d.last} --reason 'Not needed here'`,
    alternatives: (d) => [{ action: `Begin ${d.first}`, command: `cleo lifecycle start ${d.epicId} ${d.first}` }],
  }),
  E_AUDIT_MISSING: row<{ problem: string; fix: string }>({ exit: 81, http: 422, message: (d) => d.problem, fix: (d) => d.fix }),
  E_CIRCULAR_VALIDATION: row<{ taskId: string; agent: string }>({
    exit: 82,
    http: 409,
    message: (d) => `${d.agent} did the work of ${d.taskId}; another agent has to judge it`,
    fix: (d) => `cleo validator pull ${d.taskId}`,
    alternatives: (d) => [{ action: 'Have a validator spawned', command: `cleo orchestrate spawn ${d.taskId} --role validator` }],
  }),
  E_LIFECYCLE_TRANSITION_INVALID: row<{ epicId: string; stage: string; status: string; act: string; fix: string }>({
    exit: 83,
    http: 409,
    message: (d) => `${d.stage} of ${d.epicId} is ${d.status}; ${d.act} is not possible`,
    fix: (d) => d.fix,
  }),
  E_PROVENANCE_REQUIRED: row<{ epicId: string; problem: string; fix: string }>({
    exit: 84,
    http: 422,
    message: (d) => `Completing release of ${d.epicId} needs --provenance: ${d.problem}`,
    fix: (d) => d.fix,
  }),
} satisfies Record<string, Row<never>>;

export type OrchestrationRows = typeof rows;

addRows(rows);
