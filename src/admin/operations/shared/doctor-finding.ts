import { array, boolean, type InferOutput, optional, picklist, strictObject, string } from 'valibot';

export const DoctorFindingSchema = strictObject({
  check: string(),
  severity: picklist(['error', 'warning']),
  message: string(),
  fix: string(),
});
export const DoctorCheckSchema = strictObject({ check: string(), ok: boolean(), detail: optional(string()) });
export const DoctorFindings = array(DoctorFindingSchema);
export const DoctorCheckList = array(DoctorCheckSchema);

export type DoctorFinding = InferOutput<typeof DoctorFindingSchema>;
export type DoctorCheck = InferOutput<typeof DoctorCheckSchema>;

/** The result of one check: no findings means no problems. */
export interface CheckResult {
  detail?: string;
  findings: Omit<DoctorFinding, 'check'>[];
}
