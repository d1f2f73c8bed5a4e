import { quote } from '#core/errors/quote.ts';
import type { Named } from '../model/project-context.ts';
import { dig, type Place, table, texts, tomlIn } from './facts.ts';
import { matching } from './glob.ts';
import { hints, type Part, type Test } from './part.ts';

const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'requirements.txt', 'requirements-dev.txt', 'manage.py'];
type Tools = Record<string, unknown>;

export function pythonPart(place: Place): Part | undefined {
  const from = place.first(...manifests);
  if (!from) return undefined;
  const project = tomlIn(place, 'pyproject.toml');
  const tools = table(project.tool);
  // A file with the settings of a formatter alone makes no project.
  const isProject =
    ['project', 'build-system'].some((key) => key in project) || ['poetry', 'pdm', 'uv', 'hatch'].some((key) => key in tools);
  if (from === 'pyproject.toml' && !isProject && !place.files.some((path) => path.endsWith('.py'))) return undefined;
  const manager = managerOf(place, project, tools, from);
  const workspace = workspaceOf(place, tools);
  const within = (command: string): string => `${prefixes[manager.name] ?? ''}${workspace ? '--all-packages ' : ''}${command}`;
  const test = testOf(place, project, tools, manager.name, within);
  return {
    type: 'python',
    folder: place.folder,
    from: place.at(from),
    packageManager: manager,
    ...(test ? { test } : {}),
    ...(workspace ? { workspace } : {}),
    hints: hintsOf(place, project, tools, manager, within, from),
  };
}

/** What goes before a command so that it runs with the project's own packages. */
const prefixes: Record<string, string> = {
  uv: 'uv run ',
  poetry: 'poetry run ',
  pdm: 'pdm run ',
  pipenv: 'pipenv run ',
  hatch: 'hatch run ',
  pixi: 'pixi run ',
};

function managerOf(place: Place, project: Tools, tools: Tools, from: string): Named {
  const marks: [string, string, boolean][] = [
    ['uv', 'uv.lock', 'uv' in tools],
    ['poetry', 'poetry.lock', 'poetry' in tools],
    ['pdm', 'pdm.lock', 'pdm' in tools],
    ['pixi', 'pixi.lock', 'pixi' in tools],
    ['pipenv', 'Pipfile', place.has('Pipfile.lock')],
    ['hatch', 'hatch.toml', dig(tools, 'hatch', 'envs') !== undefined],
  ];
  const locked = marks.find(([, file]) => place.has(file));
  if (locked) return { name: locked[0], from: place.at(locked[1]) };
  const said = marks.find(([, , isNamed]) => isNamed);
  if (said) return { name: said[0], from: place.at('pyproject.toml') };
  const conda = place.first('environment.yml', 'environment.yaml');
  if (conda && !('project' in project)) return { name: 'conda', from: place.at(conda) };
  return { name: 'pip', from: place.at(place.first('requirements.txt') ?? from) };
}

/** Everything that names what the project needs. */
function requirements(place: Place, project: Tools): string {
  const groups = [
    ...Object.values(table(dig(project, 'project', 'optional-dependencies'))),
    ...Object.values(table(project['dependency-groups'])),
  ];
  const listed = [dig(project, 'project', 'dependencies'), dig(project, 'tool', 'uv', 'dev-dependencies'), ...groups].flatMap(texts);
  const poetry = Object.values({ ...table(dig(project, 'tool', 'poetry', 'group')), own: dig(project, 'tool', 'poetry') }).flatMap(
    (group) => ['dependencies', 'dev-dependencies'].flatMap((key) => Object.keys(table(dig(group, key)))),
  );
  const pdm = Object.values(table(dig(project, 'tool', 'pdm', 'dev-dependencies'))).flatMap(texts);
  const files = place.files.filter((path) =>
    /^(?:requirements[^/]*|requirements\/[^/]+|dev-requirements|test-requirements)\.(?:txt|in)$|^Pipfile$|^setup\.(?:py|cfg)$|^tox\.ini$|^noxfile\.py$/.test(
      path,
    ),
  );
  return [...listed, ...poetry, ...pdm, ...files.map((path) => place.text(path) ?? '')].join('\n');
}

function pytestIn(place: Place, project: Tools, tools: Tools): string | undefined {
  if ('pytest' in tools) return 'pyproject.toml';
  const own = place.first('pytest.ini', 'pytest.toml', '.pytest.ini', '.pytest.toml');
  if (own) return own;
  if (/^\[tool:pytest\]/m.test(place.text('setup.cfg') ?? '')) return 'setup.cfg';
  if (/^\[pytest\]/m.test(place.text('tox.ini') ?? '')) return 'tox.ini';
  const conftest = place.files.find((path) => path === 'conftest.py' || path.endsWith('/conftest.py'));
  if (conftest) return conftest;
  if (/(?:^|[\s"'[,])pytest\b/m.test(requirements(place, project))) return place.first('pyproject.toml', ...manifests);
  return testFiles(place).find((path) => /^\s*(?:import|from) pytest\b/m.test(place.text(path) ?? ''));
}

const testFiles = (place: Place): string[] => place.files.filter((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests)\.py$/.test(path));

function testOf(place: Place, project: Tools, tools: Tools, manager: string, within: (command: string) => string): Test | undefined {
  const pytest = pytestIn(place, project, tools);
  const declared = scriptOf(tools, manager);
  if (declared) return { framework: pytest && 'pytest', command: declared, from: place.at('pyproject.toml'), isDeclared: true };
  if (pytest && manager === 'hatch') return { framework: 'pytest', command: 'hatch test', from: place.at(pytest) };
  if (pytest) return { framework: 'pytest', command: within('pytest'), from: place.at(pytest) };
  if (place.has('manage.py')) return { framework: 'django', command: within('python manage.py test'), from: place.at('manage.py') };
  // Tox and nox test against many versions, each in a place of its own: the last choice of somebody in a hurry.
  const matrix = place.has('noxfile.py') ? 'noxfile.py' : place.has('tox.ini') ? 'tox.ini' : 'tox' in tools ? 'pyproject.toml' : undefined;
  if (matrix) {
    const name = matrix === 'noxfile.py' ? 'nox' : 'tox';
    return { framework: name, command: within(name), from: place.at(matrix), isDeclared: true };
  }
  const sample = testFiles(place)[0];
  if (!sample) return undefined;
  const folder = sample.includes('/') ? sample.slice(0, sample.lastIndexOf('/')) : '';
  const isFound = folder === '' || place.has(`${folder}/__init__.py`);
  return {
    framework: 'unittest',
    command: within(isFound ? 'python -m unittest' : `python -m unittest discover -s ${quote(folder.split('/')[0] ?? '.')}`),
    from: place.at(sample),
  };
}

/** A task called test that the project itself names. */
function scriptOf(tools: Tools, manager: string): string | undefined {
  if (dig(tools, 'pdm', 'scripts', 'test') !== undefined) return 'pdm run test';
  if (dig(tools, 'hatch', 'envs', 'default', 'scripts', 'test') !== undefined) return 'hatch run test';
  if (dig(tools, 'hatch', 'envs', 'test', 'scripts', 'test') !== undefined) return 'hatch run test:test';
  if (dig(tools, 'pixi', 'tasks', 'test') !== undefined) return 'pixi run test';
  if (dig(tools, 'poe', 'tasks', 'test') !== undefined) return `${prefixes[manager] ?? ''}poe test`;
  return undefined;
}

function workspaceOf(place: Place, tools: Tools): Part['workspace'] {
  const members = texts(dig(tools, 'uv', 'workspace', 'members'));
  if (members.length === 0) return undefined;
  const excluded = texts(dig(tools, 'uv', 'workspace', 'exclude')).map((pattern) => `!${pattern}`);
  return {
    tools: [{ name: 'uv workspace', from: place.at('pyproject.toml') }],
    packages: matching(place.foldersWith('pyproject.toml'), [...members, ...excluded]).map((folder) => {
      const name = dig(tomlIn(place, `${folder}/pyproject.toml`), 'project', 'name');
      return { folder: place.at(folder), ...(typeof name === 'string' && name ? { name } : {}) };
    }),
  };
}

function hintsOf(
  place: Place,
  project: Tools,
  tools: Tools,
  manager: Named,
  within: (command: string) => string,
  from: string,
): Part['hints'] {
  const needs = requirements(place, project);
  const uses = (name: string): boolean => name in tools || new RegExp(`(?:^|[\\s"'[,])${name}\\b`, 'm').test(needs);
  const isRuff = uses('ruff') || place.has('ruff.toml') || place.has('.ruff.toml');
  const type =
    uses('mypy') || place.has('mypy.ini')
      ? dig(tools, 'mypy', 'files')
        ? 'mypy'
        : 'mypy .'
      : uses('pyright') || uses('basedpyright')
        ? 'pyright'
        : undefined;
  const versions = dig(project, 'project', 'requires-python') ?? dig(project, 'tool', 'poetry', 'dependencies', 'python');
  const install: Record<string, string> = {
    uv: 'uv sync',
    poetry: 'poetry install',
    pdm: 'pdm install',
    pipenv: 'pipenv install --dev',
    pixi: 'pixi install',
    conda: `conda env create -f ${manager.from}`,
    pip: manager.from.endsWith('requirements.txt') ? 'pip install -r requirements.txt' : 'pip install -e .',
  };
  return hints(place, from, {
    install: install[manager.name],
    lint: isRuff ? within('ruff check') : uses('flake8') || place.has('.flake8') ? within('flake8') : undefined,
    typecheck: type && within(type),
    format: isRuff ? within('ruff format') : uses('black') ? within('black .') : undefined,
    runtime: typeof versions === 'string' && versions ? `Python ${versions}` : undefined,
  });
}
