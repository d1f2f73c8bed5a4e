import { expect, test } from 'vitest';
import { openApp } from '../app.ts';

/** Memory entries of a project, in the order they were written. */
const world = [
  'memory decision accepted tags store,sqlite: Use SQLite in write-ahead mode',
  'memory decision superseded tags store: Use one JSON file as the store',
  'memory decision tags store,postgres: Use PostgreSQL for teams',
  'memory observation: The lexer is slow on very long lines',
  'memory learning accepted: Long lines are read in chunks of 64 KiB',
  'memory pattern: Every reader is a pure function of its text',
  'memory decision accepted: Tokens are structs, not classes',
  'memory decision rejected: Tokens are classes with methods',
  'memory observation: Die Übersetzung der Menüs fehlt noch',
  'memory observation: Le résumé de la réunion est prêt',
  'memory learning: 設定ファイルは起動時に読み込む',
  'memory decision: 數據庫使用事務日誌',
  'memory observation: 한국어 검색은 단어 단위로 한다',
  'memory observation: Поиск по русскому тексту работает',
  'memory learning: Ο κύκλος των εξαρτήσεων απαγορεύεται',
  'memory observation: ขนาดของแคชมีขีดจำกัด',
  'memory pattern accepted: Retry with backoff and jitter',
  'memory learning: HTTP/2 streams share one connection',
  'memory learning: HTTP/3 runs over QUIC',
  'memory decision accepted tags api: Errors carry a code and a fix',
  'memory observation: Authentication tokens expire after an hour',
  'memory observation: The authorisation header was missing',
  'memory decision: Dependencies between tasks form no cycle',
  'memory pattern: Idempotency keys make retries safe',
  'memory learning: Follows from D-001 and its consequences',
  'memory observation: naïve café façade',
  'memory observation: The quick brown fox\njumps over the lazy dog, and mentions kubernetes once',
  'memory observation: Kubernetes restarts the pod',
  'memory learning: snake_case and kebab-case are two words each',
  'memory observation: version 2.14.3 breaks the parser',
  'memory observation: version 2.15 mends the parser',
  'memory decision accepted: The parser is written by hand',
  'memory decision: The parser is generated',
];

const queries: [term: string, first: string | undefined, near?: true][] = [
  ['sqlite', 'D-001'],
  ['SQLITE', 'D-001'],
  ['write-ahead', 'D-001'],
  ['ahead write mode', 'D-001'],
  ['store', 'D-001'],
  ['postgres', 'D-003'],
  ['postgresql teams', 'D-003'],
  ['json', 'D-002'],
  ['use', 'D-001'],
  ['lexer', 'O-001'],
  ['lexr', 'O-001'],
  ['lines', 'L-001'],
  ['long lines', 'L-001'],
  ['linse', 'L-001'],
  ['chunk', 'L-001'],
  ['pure fun', 'P-001'],
  ['tokens', 'D-004'],
  ['tokens classes', 'D-004'],
  ['methods', 'D-005'],
  ['toknes', 'D-004'],
  ['übersetzung', 'O-002'],
  ['ubersetzung', 'O-002'],
  ['UBERSETZNUG', 'O-002'],
  ['menus', 'O-002'],
  ['resume', 'O-003'],
  ['réunoin', 'O-003'],
  ['設定', 'L-002'],
  ['読み込む', 'L-002'],
  ['事務', 'D-006'],
  ['數據庫', 'D-006'],
  ['검색은', 'O-004'],
  ['검색', 'O-004'],
  ['русскому', 'O-005'],
  ['поиск текст', 'O-005'],
  ['κυκλος', 'L-003'],
  ['แคช', 'O-006'],
  ['bakoff', 'P-002'],
  ['http', 'L-005'],
  ['http2', undefined],
  ['http 2', 'L-004'],
  ['quic', 'L-005'],
  ['api', 'D-007'],
  ['authen', 'O-007'],
  ['autorisation', 'O-008'],
  ['dependancies', 'D-008'],
  ['idempotent', 'P-003'],
  ['idempot', 'P-003'],
  ['D-001', 'D-001'],
  ['l-6', 'L-006'],
  ['cafe', 'O-009'],
  ['facade naive', 'O-009'],
  ['kubernetes', 'O-011'],
  ['kubernetes once', 'O-010'],
  ['snake', 'L-007'],
  ['2.14', 'O-012'],
  ['2.15 parser', 'O-013'],
  ['parser', 'D-009'],
  ['generated parser', 'D-010'],
  ['quokka', undefined],
  ['parser kubernetes quokka mends', 'O-013', true],
  ['idempotent', 'P-003', true],
  ['writing parsers manually by hand', 'D-009', true],
  ['authenticate', 'O-007', true],
  ['設定 quokka', 'L-002', true],
];

test('both databases return the same results with the best one first', async () => {
  const sqlite = await openApp({ engine: 'sqlite', tasks: world });
  const postgres = await openApp({ engine: 'postgres', tasks: world });
  expect(queries.length).toBeGreaterThanOrEqual(50);
  const found = async ({ call }: typeof sqlite): Promise<string[][]> => {
    const all: string[][] = [];
    for (const [term, , near] of queries) {
      const { memories } = await call('memory.find', { term, ...(near ? { near } : {}) });
      all.push([term, ...memories.map(({ id }: { id: string }) => id)]);
    }
    return all;
  };
  const one = await found(sqlite);
  expect(one.map(([term, first]) => [term, first])).toEqual(queries.map(([term, first]) => [term, first]));
  expect(await found(postgres)).toEqual(one);
});
