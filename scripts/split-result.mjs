// Moves the schemas of the results of everyday operations out of their files: creating them takes 1 to 2 % of a start, and an answer needs
// only the names of their keys. Both builds load a schema when it is read, for example for the description of the HTTP API.
import { readFileSync } from 'node:fs';

/** The files whose result is split off, relative to the folder of the repository. */
export const lazyResults = ['show', 'find', 'next', 'current', 'add', 'list', 'start', 'update'].map(
  (one) => `src/tasks/operations/${one}.ts`,
);

/** Returns the path of the file that contains the schema. It exists only in the build. */
export const toResultPath = (path) => path.replace(/\.ts$/, '-result.ts');

/** Splits the source of an operation in two: one without the schema of the result, which loads it with the expression `load`, and one that
 *  contains nothing but this schema, as the constant `result`. */
export function splitResult(path, load) {
  const text = readFileSync(path, 'utf8');
  const found = /^export const (\w+) = (\w+\(\{\n(?: {2}.*\n)*?) {2}result: ((?:.*\n)*?)( {2}errors: (?:.*\n)*?\}\);\n)/m.exec(text);
  if (!found) throw new Error(`${path} has no result that the build can split off`);
  const [whole, exported, start, result, end] = found;
  const keys = JSON.stringify(listKeys(result));
  const lazy = `${exported}.lazyResult = { keys: ${keys}, load: async () => (await ${load}).result };\n`;
  return {
    operation: text.replace(whole, () => `export const ${exported} = ${start}${end}${lazy}`),
    result: text.replace(whole, () => `const result = ${result.trim().replace(/,$/, '')};\n`),
  };
}

/** Lists the keys of `strictObject({ … })`: names in front of a colon that are in no inner bracket. */
function listKeys(result) {
  const inner = /^strictObject\(\{(.*)\}\),\s*$/s.exec(result)?.[1];
  if (inner === undefined) throw new Error(`not an object of named fields: ${result}`);
  let flat = inner.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  for (let before = ''; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\]/g, '');
  }
  const fields = flat
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  return fields.map((field) => {
    const key = /^(\w+):/.exec(field)?.[1];
    if (key === undefined) throw new Error(`not a named field: ${field}`);
    return key;
  });
}
