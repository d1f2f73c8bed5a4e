import type { SourceFile } from '../../src/transfer/model/foreign.ts';
import { type ImportTool, sourceFilePatterns } from '../../src/transfer/rules/detect-tool.ts';
import { sample } from './sample.ts';

const folders: Partial<Record<ImportTool, string>> = { 'todo.txt': 'todo-txt' };

/** What of a sample is one import: a tool that has several forms has a file for each. */
export async function importsOf(tool: ImportTool): Promise<SourceFile[][]> {
  const files = sample(folders[tool] ?? tool).filter(({ name }) => sourceFilePatterns[tool].test(name));
  return tool === 'github' ? files.map((file) => [file]) : [files];
}
