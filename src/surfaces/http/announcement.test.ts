import { expect, test } from 'vitest';
import { formatAnnouncement } from './announcement.ts';

test.each([
  [true, 'Web page: http://127.0.0.1:4800/#secret=abc'],
  [false, 'Web page: not in this build of cleo. Build it with: npm run build'],
])('names the page, or says how to build it (has a page: %s)', (hasPage, line) => {
  const text = formatAnnouncement({ url: 'http://127.0.0.1:4800', page: 'http://127.0.0.1:4800/#secret=abc', hasPage });
  expect(text).toBe(`Listening on http://127.0.0.1:4800 (API: /api, MCP: /mcp). Ctrl+C stops.\n${line}\n`);
});
