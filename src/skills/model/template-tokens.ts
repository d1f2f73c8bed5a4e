/** Tokens that a text for subagents may contain. `{{TASK_ID}}` and the others are filled in on spawn. */
export const tokenNames = [
  'TASK_ID',
  'EPIC_ID',
  'DATE',
  'TOPIC_SLUG',
  'OUTPUT_DIR',
  'MANIFEST_PATH',
  'TASK_TITLE',
  'TASK_DESCRIPTION',
  'TASK_SHOW_CMD',
  'TASK_FOCUS_CMD',
  'TASK_COMPLETE_CMD',
  'TASK_LINK_CMD',
  'AGENT_ID',
  'SESSION_ID',
] as const;
export type TokenName = (typeof tokenNames)[number];
