import { addRows } from '#core/errors/catalog.ts';
import { commandLine } from '#core/errors/quote.ts';
import { type Row, row } from '#core/errors/row.ts';

/** Refusals of reviews. Whoever throws one imports this file; else the catalogue does not know it. */
const rows = {
  E_REVIEW_RESOLVED: row<{ review: string; problem: string; fix: string }>({
    exit: 6,
    http: 409,
    message: (d) => `${d.review} ${d.problem}`,
    fix: (d) => d.fix,
  }),
  E_REVIEW_CLAIMED: row<{ review: string; holders: string[]; until: string }>({
    exit: 35,
    http: 409,
    message: (d) => `${d.review} is held by ${d.holders.join(' and ')} until ${d.until}`,
    fix: () => 'cleo review list --status open',
    alternatives: (d) => [{ action: 'See how it stands', command: commandLine(['cleo', 'review', 'show', d.review]) }],
  }),
  E_REVIEW_OWN_WORK: row<{ review: string; agent: string; run: string }>({
    exit: 82,
    http: 409,
    message: (d) => `${d.agent} had ${d.run} done; a person or another agent has to judge it`,
    fix: (d) => commandLine(['cleo', 'review', 'show', d.review]),
  }),
} satisfies Record<string, Row<never>>;

type ReviewRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends ReviewRows {}
}

addRows(rows);
