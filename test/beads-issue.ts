/** Formats an issue as beads exports it, one line of JSON. */
export const formatBeadsIssue = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    title: `Issue ${id}`,
    status: 'open',
    priority: 2,
    issue_type: 'task',
    created_at: '2026-01-01T00:00:00Z',
    ...more,
  });
