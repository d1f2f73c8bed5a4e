import type { TaskId } from '#core/model/scalars.ts';

interface RoundPrompt {
  taskId: TaskId;
  agentId: string;
  /** The file with the complete prompt of the task. */
  promptFile: string;
  branch: string;
  round: number;
  findings: string[];
}

/** The rules of the worktree, which follow the prompt of a task. */
export const formatWorktreeRules = (branch: string | undefined): string =>
  branch === undefined
    ? `# Your folder

Work in this folder only. Commit all changes before you complete the task.
`
    : `# Your worktree

This folder is a git worktree on branch \`${branch}\`. Work in this folder only, stay on this branch, and commit all changes before you complete the task.
`;

/** The prompt of an agent that continues after a round that did not pass, or after its process was killed. */
export function formatRoundPrompt({ taskId, agentId, promptFile, branch, round, findings }: RoundPrompt): string {
  const reason =
    findings.length > 0
      ? `Round ${round - 1} did not pass:\n\n${findings.map((finding) => `- ${finding}`).join('\n')}\n\nCorrect this, commit all changes`
      : 'Your work was interrupted. Look at what is there already, finish the task, commit all changes';
  return `# Continue ${taskId}, round ${round}

You are \`${agentId}\`. Your task and its rules are in \`${promptFile}\`: read that file first. You are in the same folder as before${branch ? `, on branch \`${branch}\`` : ''}.

${reason}, submit evidence again where the task needs it, complete the task, and end with the return message that the file prescribes.
`;
}
