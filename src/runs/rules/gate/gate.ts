import { type Check, type CheckFailure, type GateResult, type RunGateName, runGateNames } from '../../model/execution.ts';

/** A check with its remediation. */
export interface GateCheck extends Check {
  remediation?: string;
  /** True if a failure is reported but does not fail the gate. */
  isAdvisory?: true;
}

interface CheckEvidence {
  path?: string;
  line?: number;
  expected?: unknown;
  actual?: unknown;
}

export const createCheck = (
  name: string,
  passed: boolean,
  message: string,
  evidence: CheckEvidence = {},
  remediation?: string,
): GateCheck => ({
  name,
  passed,
  message,
  evidence: {
    path: evidence.path ?? null,
    line: evidence.line ?? null,
    expected: evidence.expected ?? null,
    actual: evidence.actual ?? null,
  },
  ...(remediation === undefined || passed ? {} : { remediation }),
});

/** The result of a gate. All checks run, even after the first failure. */
export function toGateResult(name: RunGateName, checks: GateCheck[], severity: GateResult['severity'], checkedAt: string): GateResult {
  const failed = checks.filter(({ passed, isAdvisory }) => !passed && !isAdvisory);
  return {
    gate: toGateNumber(name),
    name,
    passed: failed.length === 0,
    checked_at: checkedAt,
    details: {
      checks_performed: checks.map(({ name, passed, message, evidence }) => ({ name, passed, message, evidence })),
      failures: failed.map(toCheckFailure),
    },
    status: failed.length === 0 ? 'passed' : 'failed',
    severity,
  };
}

/** The result of a gate whose checks did not run. */
export const createUncheckedGate = (
  name: RunGateName,
  status: 'skipped' | 'not_reached' | 'pending' | 'error',
  checkedAt: string,
): GateResult => ({
  gate: toGateNumber(name),
  name,
  passed: status === 'skipped',
  checked_at: checkedAt,
  details: { checks_performed: [], failures: [] },
  status,
  severity: 'block',
});

const toGateNumber = (name: RunGateName): GateResult['gate'] => runGateNames.indexOf(name) as GateResult['gate'];

/** Marks a failed gate as passed with --force. */
export const overrideGate = (result: GateResult): GateResult => ({ ...result, status: 'passed', passed: true, overridden: true });

export const isBlocking = ({ passed, severity }: GateResult): boolean => !passed && severity === 'block';

const toCheckFailure = ({ name, message, evidence, remediation }: GateCheck): CheckFailure => ({
  name,
  message,
  evidence,
  remediation: remediation ?? null,
});
