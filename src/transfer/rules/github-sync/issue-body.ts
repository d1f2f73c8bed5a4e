import { headings } from '../github-body.ts';
import { createCodeDetector, joinParagraphs, normalizeText } from '../source-values.ts';
import { formatIssueMarker, parseIssueMarker } from './markers.ts';

export interface BodyContent {
  description: string;
  acceptance: { text: string; met: boolean }[];
}

const checkbox = /^(\s*(?:[-*+]|\d+[.)]) \[)([ xX])(\]\s+)(\S.*)$/;
const issueReference = /^(?:(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,15}|https?:\/\/\S{1,300}\/issues\/\d{1,15})$/;

/** The reader adds fields that tasks do not have to the end of a description. They are on GitHub already. */
export const removeImportedFields = (description: string): string =>
  description.replace(/(?:^|\n\n)From GitHub:\n(?:- [a-z_]+: .*(?:\n|$))+$/, '').trim();

export function formatIssueBody({ description, acceptance }: BodyContent, uid?: string): string {
  const criteria = acceptance.map(({ text, met }) => `- [${met ? 'x' : ' '}] ${text.replace(/\s+/g, ' ')}`);
  return joinParagraphs(
    removeImportedFields(description),
    criteria.length > 0 ? [headings.criteria, ...criteria].join('\n') : '',
    uid ? formatIssueMarker(uid) : '',
  );
}

/** Changes the text of an issue as little as possible: if only ticks differ, they are set where they are. Otherwise it is written from the
 *  task, with the lists of sub-issues that the task has as children. */
export function updateIssueBody(body: string, before: BodyContent, after: BodyContent): string {
  const isSameText = removeImportedFields(before.description) === removeImportedFields(after.description);
  const toTexts = ({ acceptance }: BodyContent): string => JSON.stringify(acceptance.map(({ text }) => text));
  const lines = normalizeText(body).split('\n');
  const isCode = createCodeDetector();
  const boxes = lines.map((line) => (isCode(line) ? undefined : (checkbox.exec(line) ?? undefined)));
  if (isSameText && toTexts(before) === toTexts(after)) {
    const met = new Map(after.acceptance.map((criterion) => [criterion.text, criterion.met]));
    return lines
      .map((line, i) => {
        const [, start, , middle, text = ''] = boxes[i] ?? [];
        const isMet = met.get(text.trim());
        return isMet === undefined ? line : `${start}${isMet ? 'x' : ' '}${middle}${text}`;
      })
      .join('\n');
  }
  const references = lines.filter((_, i) => issueReference.test(boxes[i]?.[4]?.trim() ?? ''));
  const uid = parseIssueMarker(body);
  return joinParagraphs(
    formatIssueBody(after),
    references.length > 0 ? ['## Tasks', ...references].join('\n') : '',
    uid ? formatIssueMarker(uid) : '',
  );
}
