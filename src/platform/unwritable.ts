import { skillRefusal } from '#runs/errors/skill.ts';

/** Work on a file of a run; what cannot be written is told by the code that stands for it. */
export function writing<T>(path: string, exit: 73 | 74, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw skillRefusal(exit, `${path} cannot be written: ${code}`, 'cleo doctor', { path });
  }
}
