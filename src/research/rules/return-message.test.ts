import { expect, test } from 'vitest';
import { protocolNames, protocolTable } from '#skills/model/protocol.ts';
import { formatReturnMessage, parseReturnMessage } from './return-message.ts';

const forms = [
  ['Research complete. See MANIFEST.jsonl for summary.', { type: 'Research', status: 'complete' }],
  ['Artifact Publish partial. See MANIFEST.jsonl for details.', { type: 'Artifact Publish', status: 'partial' }],
  ['  Specification blocked. See MANIFEST.jsonl for blocker details.\n', { type: 'Specification', status: 'blocked' }],
  ['[Research] complete. See MANIFEST.jsonl for summary.', { type: 'Research', status: 'complete' }],
  ['[Artifact Publish] blocked. See MANIFEST.jsonl for blocker details.', { type: 'Artifact Publish', status: 'blocked' }],
  ['[Research complete. See MANIFEST.jsonl for summary.', undefined],
  ['[] complete. See MANIFEST.jsonl for summary.', undefined],
  ['Research complete. See MANIFEST.jsonl for details.', undefined],
  ['Research complete. See MANIFEST.jsonl for summary', undefined],
  ['research complete. See MANIFEST.jsonl for summary.', undefined],
  ['complete. See MANIFEST.jsonl for summary.', undefined],
  ['I found three parsers. Research complete. See MANIFEST.jsonl for summary.', undefined],
  ['Research complete. See MANIFEST.jsonl for summary. The best one is the second.', undefined],
  ['# Findings\n\nResearch complete. See MANIFEST.jsonl for summary.', undefined],
  ['', undefined],
] as const;

test.each(forms)('parses %j', (message, parsed) => expect(parseReturnMessage(message)).toEqual(parsed));

test('parses every message that it formats', () => {
  for (const name of protocolNames)
    for (const status of ['complete', 'partial', 'blocked'] as const) {
      const type = protocolTable[name].title;
      expect(parseReturnMessage(formatReturnMessage(type, status))).toEqual({ type, status });
    }
});
