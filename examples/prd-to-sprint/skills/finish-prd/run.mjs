#!/usr/bin/env node
// Puts the answers that people gave under the headings of the draft.
import { readFileSync, writeFileSync } from 'node:fs';

const path = 'grimoires/prd-to-sprint/prd.md';
const answers = JSON.parse(readFileSync('context/answers.json', 'utf8'));
const parts = readFileSync(path, 'utf8').split(/^(?=## )/m);
const finished = parts.map((part) => {
  const title = /^## (.*)$/m.exec(part)?.[1] ?? '';
  return title in answers ? `## ${title}\n\n${answers[title]}\n\n` : part;
});
writeFileSync(path, finished.join(''));
console.log(JSON.stringify({ sections: Object.keys(answers).length }));
