import { expect, test } from 'vitest';
import type { AuditEntry, ChainLink } from '#core/model/audit.ts';
import { chainStart, endChain, firstHash, hashLink, stepChain, toHashedColumns } from './audit-chain.ts';

const createEntry = (seq: number): Omit<AuditEntry, 'hash' | 'prevHash'> => ({
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

/** Entries as versions wrote them: before schema 6, before schema 7, now. */
const forms: Partial<AuditEntry>[] = [
  {},
  { principal: '{"kind":"agent","via":"shell"}', project: 'demo' },
  { principal: '{"kind":"agent","via":"shell"}', project: 'demo', historySeq: 12 },
];

function createChain(length: number, form = forms[0]!): ChainLink[] {
  const links: ChainLink[] = [];
  for (let seq = 1; seq <= length; seq++) {
    const prevHash = links.at(-1)?.hash ?? firstHash;
    const columns = toHashedColumns({ ...createEntry(seq), ...form, prevHash });
    links.push({ seq, prevHash, columns, hash: hashLink(columns) });
  }
  return links;
}

const follow = (links: ChainLink[], head: { seq: number; hash: string } | undefined) =>
  endChain(
    links.reduce((state, link) => stepChain(state, link), chainStart),
    head,
  );
const getHead = (links: ChainLink[]) => links.at(-1) && { seq: links.length, hash: links.at(-1)!.hash };

test('accepts an unchanged chain, even an empty one', () => {
  for (const length of [0, 1, 5]) {
    const links = createChain(length);
    const state = follow(links, getHead(links));
    expect(state.broken).toBeUndefined();
    expect(state.seq).toBe(length);
  }
});

test.each<{ why: string; change: (links: ChainLink[]) => ChainLink[]; broken: number }>([
  { why: 'a removed entry', change: (links) => links.toSpliced(2, 1), broken: 3 },
  { why: 'a removed first entry', change: (links) => links.slice(1), broken: 1 },
  { why: 'a truncated log', change: (links) => links.slice(0, 3), broken: 4 },
  {
    why: 'two swapped entries',
    change: (links) => [links[0]!, { ...links[2]!, seq: 2 }, { ...links[1]!, seq: 3 }, ...links.slice(3)],
    broken: 2,
  },
  { why: 'a repeated last entry', change: (links) => [...links, { ...links[4]!, seq: 6 }], broken: 6 },
  {
    why: 'a changed entry with a new hash',
    change: (links) => {
      const columns = links[1]!.columns.with(8, '{"title":"Other"}');
      return links.with(1, { ...links[1]!, columns, hash: hashLink(columns) });
    },
    broken: 3,
  },
])('finds $why at entry $broken', ({ change, broken }) => {
  const links = createChain(5);
  expect(follow(change(links), getHead(links)).broken?.seq).toBe(broken);
});

test.each(forms)('finds a change of any column of any entry of the form %j', (form) => {
  const links = createChain(4, form);
  for (let i = 0; i < links.length; i++)
    for (let column = 0; column < links[i]!.columns.length; column++)
      for (const value of [`${links[i]!.columns[column]} `, null, '']) {
        if (value === links[i]!.columns[column]) continue;
        const changed = links.with(i, { ...links[i]!, columns: links[i]!.columns.with(column, value) });
        expect(follow(changed, getHead(links)).broken?.seq).toBe(i + 1);
      }
});

test('finds a changed or missing head', () => {
  const links = createChain(3);
  for (const head of [undefined, { seq: 4, hash: links[2]!.hash }, { seq: 3, hash: firstHash }, { seq: 2, hash: links[1]!.hash }])
    expect(follow(links, head).broken).toMatchObject({ seq: 4 });
});
