#!/usr/bin/env node
// Plans a sprint from the requirements: a task for each.
import { readFileSync, writeFileSync } from 'node:fs';

const folder = 'grimoires/prd-to-sprint';
const prd = readFileSync(`${folder}/prd.md`, 'utf8');
const wanted = /^## Functional Requirements\n([\s\S]*?)(?=^## )/m.exec(prd)?.[1] ?? '';
const tasks = [...wanted.matchAll(/^- (.*)$/gm)].map(([, text]) => text);
writeFileSync(
  `${folder}/sprint.md`,
  `# Sprint 1

## Sprint goal

At the end of this sprint a cook can hand a file of plain recipes to the program and read ingredients and steps as JSON.

## Tasks

${tasks.map((task, i) => `${i + 1}. ${task}`).join('\n')}

## Acceptance criteria

- Every task above has a test that reads a recipe which somebody really wrote, and fails without the code it is for.
- A file that cannot be read names the line and the words that were not understood.

## Risks

The form of amounts is not settled. If fractions take longer than two days, ranges wait for the next sprint.
`,
);
console.log(JSON.stringify({ tasks: tasks.length }));
