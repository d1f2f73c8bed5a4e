import type { StageStatus } from '../model/lifecycle.ts';

export type StageMove = 'start' | 'complete' | 'skip' | 'fail' | 'reset';

/** Statuses a move may start from. A completed or skipped stage is reopened only by `reset`, and only an active one is completed. */
const allowedStatuses: Record<StageMove, StageStatus[]> = {
  start: ['pending', 'failed'],
  complete: ['active'],
  skip: ['pending', 'active', 'failed'],
  fail: ['active'],
  reset: ['active', 'completed', 'skipped', 'failed'],
};

/** Checks whether a stage with this status may be moved. The web page offers these moves. */
export const isLegalStageMove = (status: StageStatus, move: StageMove): boolean => allowedStatuses[move].includes(status);
