/** Describes to a person where the server listens. The address of the page contains its secret, if there is one. */
export const formatAnnouncement = ({ url, page, hasPage }: { url: string; page: string; hasPage: boolean }): string =>
  [
    `Listening on ${url} (API: /api, MCP: /mcp). Ctrl+C stops.`,
    hasPage ? `Web page: ${page}` : 'Web page: not in this build of cleo. Build it with: npm run build',
    '',
  ].join('\n');
