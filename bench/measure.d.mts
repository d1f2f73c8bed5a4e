export interface MeasuredProcess {
  argv: string[];
  cwd: string;
  env?: Record<string, string>;
}
/** In megabytes: the peak, and what the process does not share with files. */
export interface ProcessMemory {
  peak: number;
  own: number;
}
export function measureBlocked(process: MeasuredProcess): Promise<ProcessMemory | string | undefined>;
