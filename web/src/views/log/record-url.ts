import { toTaskUrl } from '../../components/task-id.tsx';
import { getRecordUrl } from '../../routes.ts';

/** Returns the address of a record that the log names by its id; undefined if no view shows it. */
export function toRecordUrl(id: string): string | undefined {
  if (/^T\d{3,}$/.test(id)) return toTaskUrl(id);
  if (/^[ODPL]-\d{3,}$/.test(id)) return getRecordUrl('memory', id);
  return undefined;
}
