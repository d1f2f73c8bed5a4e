import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TraceFolder } from './ground-port.ts';
import { placePrivate, replacePrivate, sweepDrafts } from './private-file.ts';
import { writing } from './unwritable.ts';

const traceFile = /^\d{4}-\d\d-\d\d-(run-[A-Za-z0-9._-]+)\.jsonl$/;

/** `.cleo/traces`: a file a run, what was cut off them, payloads that were too large for a line, and what is gone. */
export function traceFolder(folder: string): TraceFolder {
  const at = (name: string): string => join(folder, name);
  const names = (of = folder): string[] =>
    existsSync(of)
      ? readdirSync(of, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => name)
          .sort()
      : [];
  const changedAt = (path: string): string => statSync(path, { throwIfNoEntry: false })?.mtime.toISOString() ?? '';
  const pruned = at('PRUNED.jsonl');
  return {
    list: () =>
      names().flatMap((name) => {
        const runId = traceFile.exec(name)?.[1];
        return runId === undefined ? [] : [{ name, runId }];
      }),
    read(name) {
      // Gone between the look at the folder and the look at the file: somebody else pruned.
      if (!existsSync(at(name))) return undefined;
      const bytes = readFileSync(at(name));
      const text = bytes.toString('utf8');
      const strange = text.includes('\ufffd') ? strangeLine(bytes, text) : undefined;
      return { text, ...(strange === undefined ? {} : { strangeLine: strange }) };
    },
    changedAt: (name) => changedAt(at(name)),
    cut(name, lines) {
      const bytes = readFileSync(at(name));
      let end = 0;
      for (let n = 0; n < lines; n += 1) end = bytes.indexOf(0x0a, end) + 1;
      return writing(at(name), 73, () => {
        // What is moved is on disk in its new place before it leaves the old one.
        const rest = setAside(at(name), bytes.subarray(end));
        replacePrivate(at(name), bytes.subarray(0, end));
        return rest;
      });
    },
    remove: (name) =>
      writing(at(name), 73, () => {
        for (const one of names()) if (one === name || isOf(name, one)) rmSync(at(one), { force: true });
      }),
    blobs: () => names(at('blobs')).map((name) => ({ name, changedAt: changedAt(join(folder, 'blobs', name)) })),
    removeBlob: (name) => writing(name, 73, () => rmSync(join(folder, 'blobs', name), { force: true })),
    pruned: () => (existsSync(pruned) ? readFileSync(pruned, 'utf8') : ''),
    notePruned: (line) =>
      writing(pruned, 73, () => {
        mkdirSync(folder, { recursive: true });
        const isTorn = existsSync(pruned) && !/(^|\n)$/.test(readFileSync(pruned, 'utf8'));
        appendFileSync(pruned, `${isTorn ? '\n' : ''}${line}\n`, { mode: 0o600 });
      }),
    lookedAt: () => (existsSync(at('.pruned')) ? readFileSync(at('.pruned'), 'utf8').trim() : ''),
    noteLook: (moment) =>
      writing(folder, 73, () => {
        mkdirSync(folder, { recursive: true });
        replacePrivate(at('.pruned'), `${moment}\n`);
        for (const place of [folder, at('blobs')]) sweepDrafts(place);
      }),
  };
}

/** Keeps what is no part of a trace in a file beside it, which is nobody else's; its name. */
export function setAside(trace: string, bytes: Uint8Array): string {
  for (let count = 1; ; count += 1) {
    const path = `${trace}.corrupt${count === 1 ? '' : `-${count}`}`;
    if (placePrivate(path, bytes)) return basename(path);
  }
}

/** What was cut off a trace, or begun in its place. */
const isOf = (trace: string, name: string): boolean => ['corrupt', 'tmp-'].some((ending) => name.startsWith(`${trace}.${ending}`));

/** The first line whose bytes are no text. */
function strangeLine(bytes: Buffer, text: string): number | undefined {
  if (Buffer.from(text).equals(bytes)) return undefined;
  let line = 1;
  for (let at = 0; at < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, at) < 0 ? bytes.length : bytes.indexOf(0x0a, at);
    const part = bytes.subarray(at, end);
    if (!Buffer.from(part.toString('utf8')).equals(part)) return line;
    at = end + 1;
  }
  return undefined;
}
