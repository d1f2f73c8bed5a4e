import { resolve } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { type Config, defaultConfig, flattenConfig, omitProjectPolicy } from '#core/model/config.ts';
import { isPlainObject } from '#lib/collections.ts';
import { checkJson, stripBom } from '#lib/parse-json.ts';
import { createFileCache, files } from './files.ts';
import type { ConfigFiles, Project } from './port.ts';

/** Addresses in the environment, which have priority over those of files. */
interface StoreAddresses {
  serverUrl?: string | undefined;
  databaseUrl?: string | undefined;
}

export function createConfigFiles(home: string, { serverUrl, databaseUrl }: StoreAddresses = {}): ConfigFiles {
  // Not `join`: Node compiles it at the first call, but `resolve` has been used before. A start takes 0.3 % longer with both.
  const userFile = resolve(home, 'config.json');
  const projectFile = (project: Project): string => resolve(project.folder, 'config.json');
  const readContent = createFileCache((text): ConfigContent => {
    const { tree, problem } = parseConfig(text);
    return { problem, ...(tree === undefined ? { values: {}, problems: [] } : flattenConfig(tree)) };
  });
  const readValid = (path: string, scope: string): Partial<Config> => {
    const { values, problems, problem } = readContent(path);
    if (problem) throw createConfigError(path, problem);
    const [first] = problems;
    if (!first) return values;
    const fix = first.key && !/[^\w.$-]/.test(first.key) ? `cleo config unset ${first.key}${scope}` : 'cleo doctor --fix';
    throw new CleoError('E_CONFIG_ERROR', {
      path,
      problem: `${first.key} ${first.problem}`.trim(),
      fix,
      valid: Object.keys(defaultConfig),
    });
  };
  const shared = new Map<string, Partial<Config>>();
  const usesServer = (project: Project | undefined): boolean => {
    if (!project || serverUrl !== undefined) return project !== undefined;
    // An address of the database is for those who open the store themselves.
    if (databaseUrl !== undefined) return false;
    const { values } = readContent(projectFile(project));
    return Boolean(values['server.url']) || values['store.engine'] === 'server';
  };
  return {
    projectFile,
    userFile: () => userFile,
    usesServer,
    load(project) {
      const ofUser = omitProjectPolicy(readValid(userFile, ' --user'), usesServer(project));
      return addDefaults(project ? [ofUser, readValid(projectFile(project), ''), shared.get(project.folder)] : [ofUser]);
    },
    getShared: ({ folder }) => shared.get(folder) ?? {},
    setShared: ({ folder }, values) => void shared.set(folder, values),
    inspect(path) {
      const { values, problems, problem } = readContent(path);
      return problem ? { values: {}, problems: [{ key: '', problem }] } : { values: { ...values }, problems };
    },
    set: (path, key, value) =>
      files.withLock(path, () => {
        const { tree = {}, problem } = parseConfig(files.readText(path));
        if (problem) throw createConfigError(path, problem);
        if (!isPlainObject(tree)) throw createConfigError(path, 'must be a JSON object');
        if (value === undefined) removeKey(tree as ConfigTree, key);
        else setKey(tree as ConfigTree, key.split('.'), value);
        files.writeAtomic(path, `${JSON.stringify(tree, null, 2)}\n`, true);
      }),
  };
}

/** Most projects change no setting. Their configuration is the default one itself, because a start takes 0.3 % longer for each copy. */
function addDefaults(settings: (Partial<Config> | undefined)[]): Config {
  for (const values of settings) for (const _ in values) return Object.assign({}, defaultConfig, ...settings);
  return defaultConfig;
}

const createConfigError = (path: string, problem: string): CleoError =>
  new CleoError('E_CONFIG_ERROR', { path, problem, fix: 'cleo doctor --fix' });

interface ConfigContent extends ReturnType<typeof flattenConfig> {
  problem: string | undefined;
}

/** Returns no tree if the file is missing or is not JSON. */
function parseConfig(text: string | undefined): { tree?: unknown; problem?: string } {
  if (text === undefined) return {};
  const parsed = checkJson(stripBom(text));
  return 'value' in parsed ? { tree: parsed.value } : { problem: `is not valid JSON (${parsed.problem})` };
}

type ConfigTree = Record<string, unknown>;

/** Sets a nested key. Replaces a value on the way that is not an object, because it is not valid there. */
function setKey(node: ConfigTree, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    node[name] = value;
    return;
  }
  const inner = isPlainObject(node[name]) ? node[name] : {};
  node[name] = inner;
  setKey(inner, rest, value);
}

/** Removes a key as `flattenConfig` names it, and the objects that become empty. A name may contain dots. */
function removeKey(node: ConfigTree, key: string): void {
  if (Object.hasOwn(node, key)) {
    delete node[key];
    return;
  }
  for (const [name, inner] of Object.entries(node)) {
    if (!key.startsWith(`${name}.`) || !isPlainObject(inner)) continue;
    removeKey(inner, key.slice(name.length + 1));
    if (Object.keys(inner).length === 0) delete node[name];
  }
}
