import { quote } from '#core/errors/catalog.ts';
import type { SourcedName } from '../model/project-context.ts';
import { getAtPath, type ProjectDir, readTomlFile, toStrings, toTable } from './facts.ts';
import { createHints, type DetectedPart, type HintTexts, matchWorkspaceFolders, type TestCommand, toPackage } from './part.ts';

const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'requirements.txt', 'requirements-dev.txt', 'manage.py'];
type TomlTable = Record<string, unknown>;

export function detectPython(dir: ProjectDir): DetectedPart | undefined {
  const from = dir.findFirst(...manifests);
  if (!from) return undefined;
  const project = readTomlFile(dir, 'pyproject.toml');
  const tools = toTable(project.tool);
  // A pyproject.toml with the settings of a formatter only is not a project.
  const isProject =
    ['project', 'build-system'].some((key) => key in project) || ['poetry', 'pdm', 'uv', 'hatch'].some((key) => key in tools);
  if (from === 'pyproject.toml' && !isProject && !dir.files.some((path) => path.endsWith('.py'))) return undefined;
  const manager = findManager(dir, project, tools, from);
  const workspace = findWorkspace(dir, tools);
  const python: PythonProject = {
    dir,
    project,
    tools,
    manager,
    requirements: collectRequirements(dir, project),
    inEnvironment: (command) => `${prefixes[manager.name] ?? ''}${workspace ? '--all-packages ' : ''}${command}`,
  };
  return { from, packageManager: manager, test: findTest(python), workspace, hints: createHints(from, listCommands(python)) };
}

interface PythonProject {
  dir: ProjectDir;
  /** The contents of pyproject.toml. */
  project: TomlTable;
  /** Its table `tool`. */
  tools: TomlTable;
  manager: SourcedName;
  requirements: string;
  /** Formats a command that runs in the project's environment. */
  inEnvironment(command: string): string;
}

/** Prefixes that run a command in the project's environment. */
const prefixes: Record<string, string> = {
  uv: 'uv run ',
  poetry: 'poetry run ',
  pdm: 'pdm run ',
  pipenv: 'pipenv run ',
  hatch: 'hatch run ',
  pixi: 'pixi run ',
};

function findManager(dir: ProjectDir, project: TomlTable, tools: TomlTable, from: string): SourcedName {
  const marks: [string, string, boolean][] = [
    ['uv', 'uv.lock', 'uv' in tools],
    ['poetry', 'poetry.lock', 'poetry' in tools],
    ['pdm', 'pdm.lock', 'pdm' in tools],
    ['pixi', 'pixi.lock', 'pixi' in tools],
    ['pipenv', 'Pipfile', dir.has('Pipfile.lock')],
    ['hatch', 'hatch.toml', getAtPath(tools, 'hatch', 'envs') !== undefined],
  ];
  const locked = marks.find(([, file]) => dir.has(file));
  if (locked) return { name: locked[0], from: locked[1] };
  const configured = marks.find(([, , isConfigured]) => isConfigured);
  if (configured) return { name: configured[0], from: 'pyproject.toml' };
  const conda = dir.findFirst('environment.yml', 'environment.yaml');
  if (conda && !('project' in project)) return { name: 'conda', from: conda };
  return { name: 'pip', from: dir.findFirst('requirements.txt') ?? from };
}

/** Collects all dependencies and requirement files as one text. */
function collectRequirements(dir: ProjectDir, project: TomlTable): string {
  const groups = [
    ...Object.values(toTable(getAtPath(project, 'project', 'optional-dependencies'))),
    ...Object.values(toTable(project['dependency-groups'])),
  ];
  const listed = [getAtPath(project, 'project', 'dependencies'), getAtPath(project, 'tool', 'uv', 'dev-dependencies'), ...groups].flatMap(
    toStrings,
  );
  const poetry = Object.values({
    ...toTable(getAtPath(project, 'tool', 'poetry', 'group')),
    own: getAtPath(project, 'tool', 'poetry'),
  }).flatMap((group) => ['dependencies', 'dev-dependencies'].flatMap((key) => Object.keys(toTable(getAtPath(group, key)))));
  const pdm = Object.values(toTable(getAtPath(project, 'tool', 'pdm', 'dev-dependencies'))).flatMap(toStrings);
  const files = dir.files.filter((path) =>
    /^(?:requirements[^/]*|requirements\/[^/]+|dev-requirements|test-requirements)\.(?:txt|in)$|^Pipfile$|^setup\.(?:py|cfg)$|^tox\.ini$|^noxfile\.py$/.test(
      path,
    ),
  );
  return [...listed, ...poetry, ...pdm, ...files.map((path) => dir.readText(path) ?? '')].join('\n');
}

function findPytestConfig({ dir, tools, requirements }: PythonProject): string | undefined {
  if ('pytest' in tools) return 'pyproject.toml';
  const own = dir.findFirst('pytest.ini', 'pytest.toml', '.pytest.ini', '.pytest.toml');
  if (own) return own;
  if (/^\[tool:pytest\]/m.test(dir.readText('setup.cfg') ?? '')) return 'setup.cfg';
  if (/^\[pytest\]/m.test(dir.readText('tox.ini') ?? '')) return 'tox.ini';
  const conftest = dir.files.find((path) => path === 'conftest.py' || path.endsWith('/conftest.py'));
  if (conftest) return conftest;
  if (/(?:^|[\s"'[,])pytest\b/m.test(requirements)) return dir.findFirst('pyproject.toml', ...manifests);
  return listTestFiles(dir).find((path) => /^\s*(?:import|from) pytest\b/m.test(dir.readText(path) ?? ''));
}

const listTestFiles = (dir: ProjectDir): string[] => dir.files.filter((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/.test(path));

function findTest(python: PythonProject): TestCommand | undefined {
  const { dir, tools, inEnvironment } = python;
  const pytest = findPytestConfig(python);
  const declared = findTestScript(python);
  if (declared) return { framework: pytest && 'pytest', command: declared, from: 'pyproject.toml', isDeclared: true };
  if (pytest && python.manager.name === 'hatch') return { framework: 'pytest', command: 'hatch test', from: pytest };
  if (pytest) return { framework: 'pytest', command: inEnvironment('pytest'), from: pytest };
  if (dir.has('manage.py')) return { framework: 'django', command: inEnvironment('python manage.py test'), from: 'manage.py' };
  // Tox and nox test many versions in separate environments, which is slow, so they come last.
  const matrix = dir.findFirst('noxfile.py', 'tox.ini') ?? ('tox' in tools ? 'pyproject.toml' : undefined);
  if (matrix) {
    const name = matrix === 'noxfile.py' ? 'nox' : 'tox';
    return { framework: name, command: inEnvironment(name), from: matrix, isDeclared: true };
  }
  const sample = listTestFiles(dir)[0];
  if (!sample) return undefined;
  const folder = sample.includes('/') ? sample.slice(0, sample.lastIndexOf('/')) : '';
  const isFound = folder === '' || dir.has(`${folder}/__init__.py`);
  return {
    framework: 'unittest',
    command: inEnvironment(isFound ? 'python -m unittest' : `python -m unittest discover -s ${quote(folder.split('/')[0] ?? '.')}`),
    from: sample,
  };
}

/** Finds a script named `test` in the project's configuration. */
function findTestScript({ tools, manager }: PythonProject): string | undefined {
  const has = (...keys: string[]): boolean => getAtPath(tools, ...keys, 'test') !== undefined;
  if (has('pdm', 'scripts')) return 'pdm run test';
  if (has('hatch', 'envs', 'default', 'scripts')) return 'hatch run test';
  if (has('hatch', 'envs', 'test', 'scripts')) return 'hatch run test:test';
  if (has('pixi', 'tasks')) return 'pixi run test';
  return has('poe', 'tasks') ? `${prefixes[manager.name] ?? ''}poe test` : undefined;
}

function findWorkspace(dir: ProjectDir, tools: TomlTable): DetectedPart['workspace'] {
  const members = toStrings(getAtPath(tools, 'uv', 'workspace', 'members'));
  if (members.length === 0) return undefined;
  const excluded = toStrings(getAtPath(tools, 'uv', 'workspace', 'exclude')).map((pattern) => `!${pattern}`);
  return {
    tools: [{ name: 'uv workspace', from: 'pyproject.toml' }],
    packages: matchWorkspaceFolders(dir.foldersWith('pyproject.toml'), [...members, ...excluded]).map((folder) =>
      toPackage(folder, getAtPath(readTomlFile(dir, `${folder}/pyproject.toml`), 'project', 'name')),
    ),
  };
}

function listCommands({ dir, project, tools, manager, requirements, inEnvironment }: PythonProject): HintTexts {
  const uses = (name: string): boolean => name in tools || new RegExp(`(?:^|[\\s"'[,])${name}\\b`, 'm').test(requirements);
  const isRuff = uses('ruff') || dir.has('ruff.toml') || dir.has('.ruff.toml');
  const type =
    uses('mypy') || dir.has('mypy.ini')
      ? getAtPath(tools, 'mypy', 'files')
        ? 'mypy'
        : 'mypy .'
      : (uses('pyright') || uses('basedpyright')) && 'pyright';
  const versions = getAtPath(project, 'project', 'requires-python') ?? getAtPath(project, 'tool', 'poetry', 'dependencies', 'python');
  const install: Record<string, string> = {
    uv: 'uv sync',
    poetry: 'poetry install',
    pdm: 'pdm install',
    pipenv: 'pipenv install --dev',
    pixi: 'pixi install',
    conda: `conda env create -f ${manager.from}`,
    pip: manager.from.endsWith('requirements.txt') ? 'pip install -r requirements.txt' : 'pip install -e .',
  };
  return {
    install: install[manager.name],
    lint: isRuff ? inEnvironment('ruff check') : (uses('flake8') || dir.has('.flake8')) && inEnvironment('flake8'),
    typecheck: type && inEnvironment(type),
    format: isRuff ? inEnvironment('ruff format') : uses('black') && inEnvironment('black .'),
    runtime: typeof versions === 'string' && versions && `Python ${versions}`,
  };
}
