import { expect, test } from 'vitest';
import { formatIssueBody, removeImportedFields, updateIssueBody } from './issue-body.ts';
import { formatComment, formatIssueMarker, parseComment, parseIssueMarker, removeIssueMarker } from './markers.ts';

const uid = '0123456789abcdefghjk';
const criterion = (text: string, met = false) => ({ text, met });

test('a tick changes only its box', () => {
  const body = 'Intro\r\n\r\n* [ ] One\r\n- [x] Two\r\n\r\n```\n- [ ] One\n```\nEnd';
  const before = { description: 'Same', acceptance: [criterion('One'), criterion('Two', true)] };
  const after = { description: 'Same', acceptance: [criterion('One', true), criterion('Two')] };
  expect(updateIssueBody(body, before, after)).toBe('Intro\n\n* [x] One\n- [ ] Two\n\n```\n- [ ] One\n```\nEnd');
});

test('another description keeps lists of sub-issues and the marker', () => {
  const body = `Old\n\n- [ ] #12\n- [x] octo/other#3\n\n${formatIssueMarker(uid)}`;
  const after = { description: 'New\n\nFrom GitHub:\n- url: https://github.com/octo/plan/issues/1', acceptance: [criterion('One')] };
  expect(updateIssueBody(body, { description: 'Old', acceptance: [] }, after)).toBe(
    `New\n\n## Acceptance criteria\n- [ ] One\n\n## Tasks\n- [ ] #12\n- [x] octo/other#3\n\n${formatIssueMarker(uid)}`,
  );
});

test.each([
  ['Text\n\nFrom GitHub:\n- url: https://github.com/a/b/issues/1\n- assignees: x, y', 'Text'],
  ['From GitHub:\n- url: https://github.com/a/b/issues/1', ''],
  ['From GitHub: a story', 'From GitHub: a story'],
])('removes the fields that the reader added: %j', (description, expected) => {
  expect(removeImportedFields(description)).toBe(expected);
});

test('markers are found and removed', () => {
  const body = formatIssueBody({ description: 'Text', acceptance: [] }, uid);
  expect([parseIssueMarker(body), removeIssueMarker(body)]).toEqual([uid, 'Text']);
  expect(parseIssueMarker('<!-- cleo-task short -->')).toBeUndefined();
  const note = { at: '2026-01-01T00:00:00.123Z', by: 'Zoë Ångström', text: 'Line\n\nLine' };
  expect(parseComment(formatComment(note))).toEqual({ text: note.text, note: { at: note.at, by: note.by } });
  expect(parseComment('Plain <!-- x -->\r\n')).toEqual({ text: 'Plain <!-- x -->' });
  expect(parseComment('Text <!-- cleo-note 1 %zz -->').note).toEqual({ at: '1', by: '%zz' });
});
