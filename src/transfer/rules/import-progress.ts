import type { ProgressReporter } from '#core/model/progress.ts';

const phases: Record<string, string> = { read: 'reading', write: 'writing' };

/** Shows how many records an import has read and written. */
export const importProgress: ProgressReporter = {
  initialState: { phases: [], activities: new Map() },
  step(state, { data }) {
    const { phase, done, total } = data as { phase: string; done: number; total?: number };
    const what = `${phases[phase] ?? phase} ${done.toLocaleString('en')}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}`;
    return { state: { ...state, activities: new Map([['import', { skill: 'import', what, sinceMs: 0 }]]) }, lines: [] };
  },
  formatStatus: ({ activities }) => activities.get('import')?.what,
};
