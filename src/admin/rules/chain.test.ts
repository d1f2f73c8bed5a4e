import { expect, test } from 'vitest';
import type { AuditEntry, ChainLink } from '#core/model/audit.ts';
import { chainEnd, chainStart, chainStep, columnsOf, firstHash, linkHash } from './chain.ts';

const entry = (seq: number): Omit<AuditEntry, 'hash' | 'prevHash'> => ({
  seq,
  timestamp: `2026-01-01T00:00:0${seq}.000Z`,
  agent: 'ada',
  gateway: 'cli',
  domain: 'tasks',
  operation: 'add',
  params: `{"title":"Task ${seq}"}`,
  success: true,
  exitCode: 0,
  created: [`T00${seq}`],
  updated: [],
  deleted: [],
  durationMs: 3,
});

function chain(length: number): ChainLink[] {
  const links: ChainLink[] = [];
  for (let seq = 1; seq <= length; seq++) {
    const prevHash = links.at(-1)?.hash ?? firstHash;
    const columns = columnsOf({ ...entry(seq), prevHash });
    links.push({ seq, prevHash, columns, hash: linkHash(columns) });
  }
  return links;
}

const follow = (links: ChainLink[], head: { seq: number; hash: string } | undefined) =>
  chainEnd(
    links.reduce((state, link) => chainStep(state, link), chainStart),
    head,
  );
const headOf = (links: ChainLink[]) => links.at(-1) && { seq: links.length, hash: links.at(-1)!.hash };

test('a chain that nobody touched holds, also the empty one', () => {
  for (const length of [0, 1, 5]) {
    const links = chain(length);
    const state = follow(links, headOf(links));
    expect(state.broken).toBeUndefined();
    expect(state.seq).toBe(length);
  }
});

test.each<{ why: string; act: (links: ChainLink[]) => ChainLink[]; broken: number }>([
  { why: 'an entry taken out', act: (links) => links.toSpliced(2, 1), broken: 3 },
  { why: 'the first taken out', act: (links) => links.slice(1), broken: 1 },
  { why: 'the end cut off', act: (links) => links.slice(0, 3), broken: 4 },
  { why: 'two swapped', act: (links) => [links[0]!, { ...links[2]!, seq: 2 }, { ...links[1]!, seq: 3 }, ...links.slice(3)], broken: 2 },
  { why: 'one repeated at the end', act: (links) => [...links, { ...links[4]!, seq: 6 }], broken: 6 },
  {
    why: 'one hashed anew after a change, the next no longer following it',
    act: (links) => {
      const columns = links[1]!.columns.with(8, '{"title":"Other"}');
      return links.with(1, { ...links[1]!, columns, hash: linkHash(columns) });
    },
    broken: 3,
  },
])('$why is found at $broken', ({ act, broken }) => {
  const links = chain(5);
  expect(follow(act(links), headOf(links)).broken?.seq).toBe(broken);
});

test('a change of any column of any entry is found there', () => {
  const links = chain(4);
  for (let i = 0; i < links.length; i++)
    for (let column = 0; column < links[i]!.columns.length; column++)
      for (const value of [`${links[i]!.columns[column]} `, null, '']) {
        if (value === links[i]!.columns[column]) continue;
        const changed = links.with(i, { ...links[i]!, columns: links[i]!.columns.with(column, value) });
        expect(follow(changed, headOf(links)).broken?.seq).toBe(i + 1);
      }
});

test('a head that was changed or taken away is found', () => {
  const links = chain(3);
  for (const head of [undefined, { seq: 4, hash: links[2]!.hash }, { seq: 3, hash: firstHash }, { seq: 2, hash: links[1]!.hash }])
    expect(follow(links, head).broken).toMatchObject({ seq: 4 });
});
