import { join } from 'node:path';
import { CleoError } from '../errors/error.ts';
import { type Config, configKeys, defaultConfig, flattenConfig, isConfigKey } from '../model/config.ts';
import { files } from './files.ts';
import type { ConfigFiles, Project } from './port.ts';

export function configFiles(home: string): ConfigFiles {
  const userFile = join(home, 'config.json');
  const projectFile = (project: Project): string => join(project.folder, 'config.json');
  const parse = (path: string): { tree: unknown; broken?: string } => {
    const text = files.readText(path);
    if (text === undefined) return { tree: {} };
    try {
      return { tree: JSON.parse(text) };
    } catch (error) {
      return { tree: {}, broken: `is not valid JSON (${(error as Error).message})` };
    }
  };
  const valid = (path: string, scope: string): Partial<Config> => {
    const { tree, broken } = parse(path);
    if (broken) throw new CleoError('E_CONFIG_ERROR', { path, problem: broken, fix: 'cleo doctor --fix' });
    const { values, problems } = flattenConfig(tree);
    const [first] = problems;
    if (!first) return values;
    const fix = isConfigKey(first.key) || first.unknown ? `cleo config unset ${first.key}${scope}` : 'cleo doctor --fix';
    throw new CleoError('E_CONFIG_ERROR', { path, problem: `${first.key} ${first.problem}`, fix, valid: Object.keys(configKeys) });
  };
  return {
    projectFile,
    userFile: () => userFile,
    load: (project) => ({ ...defaultConfig, ...valid(userFile, ' --user'), ...(project ? valid(projectFile(project), '') : {}) }),
    inspect(path) {
      const { tree, broken } = parse(path);
      return broken ? { values: {}, problems: [{ key: '', problem: broken }] } : flattenConfig(tree);
    },
    set(path, key, value) {
      const { tree, broken } = parse(path);
      if (broken) throw new CleoError('E_CONFIG_ERROR', { path, problem: broken, fix: 'cleo doctor --fix' });
      const root = (typeof tree === 'object' && tree !== null && !Array.isArray(tree) ? tree : {}) as Record<string, unknown>;
      place(root, key.split('.'), value);
      files.writeWhole(path, `${JSON.stringify(root, null, 2)}\n`);
    },
  };
}

/** Sets or, with undefined, takes out a nested key, and the objects it leaves empty. */
function place(node: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    if (value === undefined) delete node[name];
    else node[name] = value;
    return;
  }
  const inner = (Object.hasOwn(node, name) && typeof node[name] === 'object' && node[name] !== null ? node[name] : {}) as Record<
    string,
    unknown
  >;
  place(inner, rest, value);
  if (Object.keys(inner).length === 0) delete node[name];
  else node[name] = inner;
}
