import {
  drawFields,
  drawRecords,
  drawTable,
  type Fields,
  formatAge,
  isRecords,
  joinParts,
  type Screen,
  toOneLine,
  wrap,
} from '#core/terminal/index.ts';

/** Draws pending and resolved reviews; one alone also names its run. */
export function drawReviews(items: Fields[], screen: Screen): string[] {
  const rows = items.map(({ id, status, phase, skill, reason, requestedAt, resolved, verdict, claimedBy }) => ({
    id,
    state: verdict ?? status,
    of: joinParts([phase, skill], '/'),
    verdicts: resolved,
    ...(claimedBy ? { 'claimed by': claimedBy } : {}),
    asked: formatAge(requestedAt, screen.now),
    why: reason,
  }));
  return drawTable(rows, screen, true) ?? drawRecords(rows, screen);
}

/** Draws one review with its claims and verdicts. */
export function drawReview(fields: Fields, screen: Screen): string[] {
  const { id, status, runId, phase, skill, goal, reason, claims, resolutions, verdict, humanMean, judgeScore, reviewersRequired } = fields;
  if (typeof id !== 'string' || !('resolutions' in fields)) return drawFields(fields, screen);
  const claimedBy = isRecords(claims) ? claims.map(({ by, until }) => `${by}, lapses ${formatAge(until, screen.now)}`) : [];
  const verdicts = isRecords(resolutions) ? resolutions : [];
  return [
    `${screen.paint('cyan', toOneLine(id))}  ${joinParts([status, verdict], ': ')}  ${joinParts([runId, phase, skill], ' ')}`,
    ...drawFields(
      {
        ...(goal ? { goal } : {}),
        why: reason,
        ...(claimedBy.length > 0 ? { 'claimed by': claimedBy } : {}),
        verdicts: `${verdicts.length} of ${reviewersRequired}${humanMean === null ? '' : `, mean ${humanMean}`}`,
        ...(judgeScore === undefined ? {} : { judge: judgeScore ?? 'said nothing' }),
      },
      screen,
    ),
    ...verdicts.flatMap(({ by, verdict: given, score, note, isInformed }) => [
      `${given === 'pass' ? screen.paint('green', '✓') : screen.paint('red', '✗')} ${toOneLine(`${by} ${score}${isInformed ? ', knowing what the judge said' : ''}`)}`,
      ...(typeof note === 'string' ? wrap(note, screen.columns - 4).map((line) => `    ${line}`) : []),
    ]),
  ];
}
