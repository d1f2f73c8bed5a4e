import { type ImportTool, sourceFilePatterns } from '../../src/transfer/rules/detect-tool.ts';
import { readSample } from './sample.ts';

const folders: Partial<Record<ImportTool, string>> = { 'todo.txt': 'todo-txt' };

/** Returns the files of each import of a sample. The GitHub sample has one file per format. */
export async function listImports(tool: ImportTool): Promise<ReturnType<typeof readSample>[]> {
  const files = readSample(folders[tool] ?? tool).filter(({ name }) => sourceFilePatterns[tool].test(name));
  return tool === 'github' ? files.map((file) => [file]) : [files];
}
