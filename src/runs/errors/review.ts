import { addErrorRows, commandLine, type ErrorRow, row } from '#core/errors/catalog.ts';

/** Errors of the review commands. A file that throws one imports this file, which adds the rows to the catalog. */
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
    message: (d) => `${d.review} is claimed by ${d.holders.join(' and ')} until ${d.until}`,
    fix: (d) => commandLine(['cleo', 'review', 'show', d.review]),
    alternatives: () => [{ action: 'List the open reviews', command: 'cleo review list --status open' }],
  }),
  E_REVIEW_OWN_WORK: row<{ review: string; agent: string; run: string }>({
    exit: 82,
    http: 409,
    message: (d) => `${d.agent} started ${d.run}; a person or another agent must review it`,
    fix: (d) => commandLine(['cleo', 'review', 'show', d.review]),
  }),
} satisfies Record<string, ErrorRow<never>>;

type ReviewRows = typeof rows;

declare module '#core/errors/catalog.ts' {
  interface DomainRows extends ReviewRows {}
}

addErrorRows(rows);
