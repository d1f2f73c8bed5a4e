import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.ts';

test('try', async () => {
  const h = await openHouse({ tasks: ['T001', 'T002: Write the parser', 'nexus here', 'nexus web T003,T004'] });
  for (const line of [
    'cleo nexus list',
    'cleo nexus query here:parser',
    'cleo nexus query web:T003',
    "cleo nexus query '*:Task'",
    'cleo nexus deps add T001 web:T003',
    'cleo nexus deps T001',
    'cleo nexus deps web:T003',
    'cleo start T001',
    'cleo nexus sync',
    'cleo nexus graph',
    'cleo nexus graph --mermaid',
    'cleo nexus deps remove T001 web:T003',
    'cleo nexus permissions',
    'cleo nexus permissions set web none',
    'cleo nexus query web:T003',
    'cleo nexus query T003',
    'cleo nexus query wep:T003',
    'cleo nexus unregister web',
  ]) {
    const { out, exitCode } = await h.cli(line);
    console.log(line, exitCode, out);
  }
  expect(1).toBe(1);
});
