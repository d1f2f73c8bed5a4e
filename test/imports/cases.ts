import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles } from '../../src/surfaces/cli/files.ts';
import type { SourceFile } from '../../src/transfer/model/foreign.ts';
import { tasksImport } from '../../src/transfer/operations/import.ts';
import { selectSourceFiles } from '../../src/transfer/operations/shared/import-readers.ts';
import { type ImportTool, importTools } from '../../src/transfer/rules/detect-tool.ts';

/** Files with defects that real projects have. Each case has a first and a last version, a folder each. */
export interface ImportCase {
  tool: ImportTool;
  name: string;
  folder: string;
}

const root = join(import.meta.dirname, 'cases');

export const importCases: ImportCase[] = importTools.flatMap((tool) =>
  readdirSync(join(root, tool)).map((name) => ({ tool, name, folder: join(root, tool, name) })),
);

/** Reads a version as the command line does, with its encodings. */
export const readVersion = ({ tool, folder }: ImportCase, version: 'first' | 'last'): SourceFile[] =>
  readFiles(version, selectSourceFiles({ from: tool }), tasksImport, folder);
