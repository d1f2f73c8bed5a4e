import { description, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { wordsOf } from './shared/completion-words.ts';

export const adminCompletion = query({
  name: 'admin.completion',
  summary: 'Print the completion script for a shell',
  params: strictObject({ shell: pipe(picklist(['bash', 'zsh', 'fish']), description('The shell that reads it')) }),
  result: strictObject({ script: string() }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'completion', args: ['shell'], raw: 'script' },
  example: { call: { shell: 'bash' } },
  async run({ registry }, { shell }) {
    const words = await wordsOf(registry);
    const { scripts } = await import('./shared/completion-scripts.ts');
    return { script: scripts[shell](words) };
  },
});
