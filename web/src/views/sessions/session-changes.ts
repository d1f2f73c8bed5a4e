import type { Change } from '../../state/connection.ts';

/** Accepts changes that begin or end work on a task. */
export const isWorkChange = ({ operation }: Change): boolean => /^(session|tasks|orchestrate)\./.test(operation);
