import { toCallFailure } from '../api/call-failure.ts';
import { mutate } from '../api/client.ts';
import { ask } from '../components/ask-dialog.tsx';
import { runAction } from './actions.ts';
import { notify } from './notices.ts';

/** Takes back the last change of this page's principal, after showing what it is. */
export async function undoLastChange(): Promise<void> {
  try {
    const { undone } = await mutate('admin.undo', { dryRun: true });
    if (!undone.summary) return notify('info', 'There is no change of the last hour to take back');
    const isConfirmed = await ask({ title: 'Take back the last change', hint: undone.summary, confirm: 'Take back' });
    if (isConfirmed === undefined) return;
  } catch (error) {
    const failure = toCallFailure(error);
    return notify('failed', failure.message, failure.fix);
  }
  await runAction('admin.undo', {}, (answer) => answer.undone.summary);
}
