import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seen } from './app.ts';
import { openWorkshop, type Workshop } from './construct.ts';

export const one = (more = ''): string => `execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n${more}`;
export const two = (more = ''): string =>
  `execution: {phases: [first, second]}\nskills: [{name: a, phase: first}, {name: b, phase: second}]\n${more}`;

/** A project with one skill in one phase. */
export async function shopWith(script: string, more = '', options = {}): Promise<Workshop> {
  const shop = await openWorkshop(options);
  shop.construct(one(more));
  shop.skill('it', script);
  return shop;
}

export const codes = (warnings: Seen[] = []): string[] => warnings.map(({ code }) => code);
export const gate = (result: Seen, number: number): Seen => result.diagnostics.gates_passed[number];
export const runFolders = (shop: Workshop): string[] =>
  readdirSync(join(shop.root, '.cleo/runs')).filter((name) => name.startsWith('run-'));
export const recordOf = (shop: Workshop): Seen =>
  JSON.parse(readFileSync(join(shop.root, '.cleo/runs', runFolders(shop).sort().at(-1)!, 'run.json'), 'utf8'));
export const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];
