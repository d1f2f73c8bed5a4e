/** What a text for subagents may leave open: `{{TASK_ID}}` and the like are filled in when it is handed out. */
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
