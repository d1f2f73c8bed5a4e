#!/usr/bin/env node
// Writes a report, says what it was for, and asks for a look by a person.
import { readFileSync, writeFileSync } from 'node:fs';

const prices = Object.entries(JSON.parse(readFileSync('prices.json', 'utf8'))).sort((a, b) => a[1] - b[1]);
if (prices.length === 0) process.exit(65);
writeFileSync('report.md', `# Prices\n\nCheapest: ${prices[0][0]}\n\n${prices.map(([name, price]) => `- ${name}: ${price}`).join('\n')}\n`);
writeFileSync(
  process.env.CLEO_RESULT,
  JSON.stringify({
    confidence: 0.9,
    goal_statement: 'Say which fruit is cheapest today, with figures',
    evidence: [{ type: 'file', description: 'the report', reference: 'report.md' }],
    human_review_requested: prices.length < 5,
  }),
);
console.log(JSON.stringify({ cheapest: prices[0][0] }));
