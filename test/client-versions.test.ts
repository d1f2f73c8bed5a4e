import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import versions from './clients/versions.json' with { type: 'json' };

test('the guide names the tested versions of the clients', () => {
  const guide = readFileSync(join(import.meta.dirname, '..', 'docs', 'guide', 'agents.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| [^|]+ \| `([^`]+)` \| ([\d.]+) \|$/gm)].map(([, name, version]) => ({ package: name, version }));
  expect(rows).toEqual(Object.values(versions));
});
