import { type Check, type CheckFailure, type GateNumber, type GateResult, gateNames } from '../../model/execution.ts';

/** A check and what would make it pass. */
export interface Judged extends Check {
  remediation?: string;
  /** It is told, and does not keep the gate shut. */
  isRemark?: true;
}

interface Evidence {
  path?: string;
  line?: number;
  expected?: unknown;
  actual?: unknown;
}

export const check = (name: string, passed: boolean, message: string, evidence: Evidence = {}, remediation?: string): Judged => ({
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

/** A gate of which all checks were made, whatever the first of them said. */
export function gateOf(gate: GateNumber, checks: Judged[], severity: GateResult['severity'], checkedAt: string): GateResult {
  const failed = checks.filter(({ passed, isRemark }) => !passed && !isRemark);
  return {
    ...{ gate, name: gateNames[gate], passed: failed.length === 0, checked_at: checkedAt },
    details: {
      checks_performed: checks.map(({ name, passed, message, evidence }) => ({ name, passed, message, evidence })),
      failures: failed.map(failureOf),
    },
    status: failed.length === 0 ? 'passed' : 'failed',
    severity,
  };
}

/** One that was not looked at: on purpose, or because it was never reached. */
export const gateWithout = (gate: GateNumber, status: 'skipped' | 'not_reached' | 'pending' | 'error', checkedAt: string): GateResult => ({
  ...{ gate, name: gateNames[gate], passed: status === 'skipped', checked_at: checkedAt },
  ...{ details: { checks_performed: [], failures: [] }, status, severity: 'block' },
});

/** Somebody let it pass, and said why. */
export const forced = (result: GateResult): GateResult => ({ ...result, status: 'passed', passed: true, overridden: true });

export const stopsAt = ({ passed, severity }: GateResult): boolean => !passed && severity === 'block';

const failureOf = ({ name, message, evidence, remediation }: Judged): CheckFailure => ({
  ...{ name, message, evidence },
  remediation: remediation ?? null,
});
