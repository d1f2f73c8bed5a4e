import { parseJson } from '#lib/parse-json.ts';

/** `stop.json` in the folder of a run: a request to the process that runs it. */
export interface StopRequest {
  pid: number;
  /** Start time of the process, so that a request to an earlier process of the run is ignored. */
  began: string;
  by: string;
  at: string;
  reason?: string;
}

export const stopFile = 'stop.json';

/** Parses a stop request; undefined if it is damaged or meant for another process. */
export function parseStopRequest(text: string | undefined, { pid, began }: Pick<StopRequest, 'pid' | 'began'>): StopRequest | undefined {
  const request = parseJson(text) as Partial<StopRequest> | null | undefined;
  if (request?.pid !== pid || request.began !== began || typeof request.by !== 'string') return undefined;
  const { by, at = '', reason } = request;
  return { pid, began, by, at, ...(typeof reason === 'string' ? { reason } : {}) };
}

export const formatStopRequest = ({ by, reason }: StopRequest): string => `stopped by ${by}${reason ? `: ${reason}` : ''}`;
