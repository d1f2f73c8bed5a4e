import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const maxTextLength = 240;
let lastTest = '';

/** Appends a line to the transcript of this run: time, conversation, surface, call, exit code, and what the model received. */
export function recordCall(client: string, label: string, surface: string, call: string, exitCode: number | undefined, text: string): void {
  const title = expect.getState().currentTestName ?? '';
  const heading = title === lastTest ? '' : `\n${title}\n`;
  lastTest = title;
  const cells = [
    new Date().toISOString().slice(11, 23),
    label.padEnd(8),
    surface.padEnd(6),
    exitCode === undefined ? '   ' : String(exitCode).padStart(3),
    shorten(call),
  ];
  append(`${client}.txt`, `${heading}${cells.join('  ')}\n${text ? `${' '.repeat(14)}→ ${shorten(text)}\n` : ''}`);
}

/** Adds a figure to the summary of this run. */
export function recordFigure(client: string, figure: string, value: number | string): void {
  append(`${client}.jsonl`, `${JSON.stringify({ client, figure, value })}\n`);
}

function append(file: string, text: string): void {
  const folder = process.env.CLEO_CLIENTS_REPORTS;
  if (folder) appendFileSync(join(folder, file), text);
}

const shorten = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > maxTextLength ? `${flat.slice(0, maxTextLength)}…` : flat;
};
