import type { GivenFile } from '../../src/transfer/model/foreign.ts';
import { readers } from '../../src/transfer/operations/shared/import-readers.ts';
import type { Tool } from '../../src/transfer/rules/recognise.ts';
import { sample } from './sample.ts';

const folders: Partial<Record<Tool, string>> = { 'todo.txt': 'todo-txt' };

/** What of a sample is one import: a tool that has several forms has a file for each. */
export async function importsOf(tool: Tool): Promise<GivenFile[][]> {
  const { wanted } = await readers[tool].load();
  const files = sample(folders[tool] ?? tool).filter(({ name }) => wanted(name));
  return tool === 'github' ? files.map((file) => [file]) : [files];
}
