import type { ProgressReporter } from '#core/model/progress.ts';

const phases: Record<string, string> = { copy: 'copying', index: 'building the search index of', verify: 'verifying' };

/** Shows how many rows a move of the store has copied or verified. */
export const moveProgress: ProgressReporter = {
  initialState: { phases: [], activities: new Map() },
  step: (state, { data: { phase, done, total } }) => {
    const text = `${phases[String(phase)] ?? phase} ${formatNumber(done)} of ${formatNumber(total)} rows`;
    return { state: { ...state, phase: text }, lines: [] };
  },
  formatStatus: ({ phase }) => phase,
};

const formatNumber = (value: unknown): string => Number(value).toLocaleString('en');
