import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { type Config, configKeys, defaultConfig, flattenConfig } from '#core/model/config.ts';
import { files } from './files.ts';
import type { ConfigFiles, Project } from './port.ts';

export function configFiles(home: string): ConfigFiles {
  const userFile = join(home, 'config.json');
  const projectFile = (project: Project): string => join(project.folder, 'config.json');
  const valid = (path: string, scope: string): Partial<Config> => {
    const { tree, broken } = parse(path);
    if (broken) throw brokenFile(path, broken);
    const { values, problems } = flattenConfig(tree);
    const [first] = problems;
    if (!first) return values;
    const fix = first.key && !/[^\w.$-]/.test(first.key) ? `cleo config unset ${first.key}${scope}` : 'cleo doctor --fix';
    throw new CleoError('E_CONFIG_ERROR', { path, problem: `${first.key} ${first.problem}`.trim(), fix, valid: Object.keys(configKeys) });
  };
  return {
    projectFile,
    userFile: () => userFile,
    load: (project) => ({ ...defaultConfig, ...valid(userFile, ' --user'), ...(project ? valid(projectFile(project), '') : {}) }),
    inspect(path) {
      const { tree, broken } = parse(path);
      return broken ? { values: {}, problems: [{ key: '', problem: broken }] } : flattenConfig(tree);
    },
    set: (path, key, value) =>
      files.alone(path, () => {
        const { tree, broken } = parse(path);
        if (broken) throw brokenFile(path, broken);
        if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) throw brokenFile(path, 'must be a JSON object');
        if (value === undefined) takeOut(tree as Tree, key);
        else put(tree as Tree, key.split('.'), value);
        files.writeWhole(path, `${JSON.stringify(tree, null, 2)}\n`);
      }),
  };
}

const brokenFile = (path: string, problem: string): CleoError =>
  new CleoError('E_CONFIG_ERROR', { path, problem, fix: 'cleo doctor --fix' });

function parse(path: string): { tree: unknown; broken?: string } {
  const text = files.readText(path);
  if (text === undefined) return { tree: {} };
  try {
    return { tree: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    return { tree: {}, broken: `is not valid JSON (${(error as Error).message})` };
  }
}

type Tree = Record<string, unknown>;

/** A known key goes where it belongs; what stands in its way was no valid value. */
function put(node: Tree, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    node[name] = value;
    return;
  }
  const inner = isTree(node[name]) ? node[name] : {};
  node[name] = inner;
  put(inner, rest, value);
}

/** A key as `flattenConfig` names it, and the objects it leaves empty. A name may itself hold dots. */
function takeOut(node: Tree, key: string): void {
  if (Object.hasOwn(node, key)) {
    delete node[key];
    return;
  }
  for (const [name, inner] of Object.entries(node)) {
    if (!key.startsWith(`${name}.`) || !isTree(inner)) continue;
    takeOut(inner, key.slice(name.length + 1));
    if (Object.keys(inner).length === 0) delete node[name];
  }
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
