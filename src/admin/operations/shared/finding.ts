import { array, boolean, type InferOutput, optional, picklist, strictObject, string } from 'valibot';

export const Finding = strictObject({ check: string(), severity: picklist(['error', 'warning']), message: string(), fix: string() });
export const Check = strictObject({ check: string(), ok: boolean(), detail: optional(string()) });
export const Findings = array(Finding);
export const Checks = array(Check);

export type Finding = InferOutput<typeof Finding>;
export type Check = InferOutput<typeof Check>;

/** What one look has seen: nothing wrong where there are no findings. */
export interface Seen {
  detail?: string;
  findings: Omit<Finding, 'check'>[];
}
