import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const createWords = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const createSection = (title: string, count: number): string => `## ${title}\n\n${createWords(count)}\n\n`;

export const completePrd = `# PRD\n\n${createSection('Problem', 40)}${createSection('Goals', 40)}${createSection('Users', 30)}${createSection('Functional Requirements', 80)}${createSection('Non-Functional Requirements', 30)}${createSection('Scope', 30)}${createSection('Risks', 30)}`;
export const emptyPrd = `# PRD\n\n${['Problem', 'Goals', 'Users', 'Functional Requirements', 'Non-Functional Requirements', 'Scope', 'Risks'].map((title) => `## ${title}\n\nTBD\n\n`).join('')}`;
export const sddWithoutApi = `# SDD\n\n${createSection('Architecture', 80)}${createSection('Data Model', 40)}${createSection('Components', 50)}${createSection('Security', 30)}${createSection('Testing', 30)}`;

/** Writes a manifest of two phases with their skills, and the document that the first phase hands to the second. */
export function writeConstruct(root: string): void {
  writeFileSync(
    join(root, 'construct.yaml'),
    `apiVersion: loa/v1
kind: Construct
metadata: {name: demo, version: 1.0.0}
execution: {phases: [discovery, design]}
skills: [{name: write, phase: discovery}, {name: draw, phase: design}]
phases:
  discovery: {produces: [{path: prd.md, schema: prd-v1}]}
  design: {receives: [{path: prd.md, schema: prd-v1}]}
assessment: {handoffs: {discovery_to_design: {required_artifacts: [prd.md], validation: {schema: prd-v1}}}}
`,
  );
  writeFileSync(join(root, 'prd.md'), completePrd);
  for (const name of ['write', 'draw']) {
    mkdirSync(join(root, 'skills', name), { recursive: true });
    writeFileSync(join(root, 'skills', name, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(root, 'skills', name, 'run.sh'), 0o755);
  }
}
