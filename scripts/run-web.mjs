// `npm run shots` and `npm run bench:web`: run web/bench/<name>.ts, which need a browser, outside of `npm test`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [name = 'shots', ...words] = process.argv.slice(2);
const { status } = spawnSync(
  join(root, 'node_modules', '.bin', 'vitest'),
  ['run', '--project', name, '--disable-console-intercept', ...words],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CLEO_WEB_RUN: name },
  },
);
process.exit(status ?? 1);
