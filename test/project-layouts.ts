import type { ProjectContext } from '../src/detect/model/project-context.ts';

export type LayoutFiles = Record<string, string | object>;
export interface ExpectedContext {
  type: ProjectContext['type'];
  manager: string;
  framework?: string;
  command?: string;
  languages?: string[];
  folder?: string;
  packages?: string[];
}

export const createSourceFiles = (folder: string, ending: string, count = 12): LayoutFiles =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}/f${i}.${ending}`, '']));

/** Files as project generators write them, reduced to the relevant ones, with the expected detection. */
export const layouts: [string, LayoutFiles, ExpectedContext][] = [
  [
    'npm init, whose script is not a test',
    { 'package.json': { name: 'a', scripts: { test: 'echo "Error: no test specified" && exit 1' } }, 'index.js': '' },
    { type: 'node', manager: 'npm', languages: ['javascript'] },
  ],
  [
    'a library with node:test',
    { 'package.json': { scripts: { test: 'node --test' } }, 'package-lock.json': '', 'src/a.js': '', 'test/a.test.js': '' },
    { type: 'node', manager: 'npm', framework: 'node:test', command: 'npm test' },
  ],
  [
    'tests for node:test without a script',
    { 'package.json': {}, 'a.js': '', 'a.test.js': '' },
    { type: 'node', manager: 'npm', framework: 'node:test', command: 'node --test' },
  ],
  [
    'create-vite with vitest, which needs --run',
    {
      'package.json': {
        scripts: { dev: 'vite', build: 'tsc -b && vite build', test: 'vitest' },
        devDependencies: { vitest: '^3', typescript: '~5' },
      },
      'pnpm-lock.yaml': '',
      'tsconfig.json': '',
      'vite.config.ts': '',
      'src/main.tsx': '',
      'src/App.test.tsx': '',
    },
    { type: 'node', manager: 'pnpm', framework: 'vitest', command: 'pnpm test --run', languages: ['typescript'] },
  ],
  [
    'create-react-app',
    {
      'package.json': { scripts: { test: 'react-scripts test' }, dependencies: { 'react-scripts': '5' } },
      'yarn.lock': '',
      'src/App.js': '',
    },
    { type: 'node', manager: 'yarn', framework: 'jest', command: 'yarn test --watchAll=false' },
  ],
  [
    'Angular',
    {
      'package.json': { scripts: { test: 'ng test' }, devDependencies: { karma: '6', jasmine: '5' } },
      'package-lock.json': '',
      'angular.json': '',
      'src/app/app.spec.ts': '',
    },
    { type: 'node', manager: 'npm', framework: 'karma', command: 'npm test -- --watch=false' },
  ],
  [
    'bun with a script that is not its test runner',
    { 'package.json': { scripts: { test: 'jest' }, devDependencies: { jest: '30' } }, 'bun.lock': '', 'index.ts': '' },
    { type: 'node', manager: 'bun', framework: 'jest', command: 'bun run test' },
  ],
  [
    'bun init with a test',
    { 'package.json': {}, 'bun.lock': '', 'index.ts': '', 'index.test.ts': '' },
    { type: 'node', manager: 'bun', framework: 'bun test', command: 'bun test' },
  ],
  [
    'only end-to-end tests',
    {
      'package.json': { devDependencies: { '@playwright/test': '1' } },
      'package-lock.json': '',
      'playwright.config.ts': '',
      'tests/a.spec.ts': '',
    },
    { type: 'node', manager: 'npm', framework: 'playwright', command: 'npx playwright test' },
  ],
  [
    'a script that calls others',
    {
      'package.json': {
        packageManager: 'yarn@4.1.0',
        scripts: { test: 'yarn lint && yarn test:unit', lint: 'eslint .', 'test:unit': 'mocha' },
      },
      'package-lock.json': '',
      'lib/a.js': '',
    },
    { type: 'node', manager: 'yarn', framework: 'mocha', command: 'yarn test' },
  ],
  [
    'npm workspaces without a script at the top',
    {
      'package.json': { workspaces: ['packages/*'] },
      'package-lock.json': '',
      'packages/a/package.json': { name: '@x/a', scripts: { test: 'vitest run' } },
      'packages/b/package.json': { name: '@x/b' },
      'packages/a/src/i.ts': '',
    },
    {
      type: 'node',
      manager: 'npm',
      framework: 'vitest',
      command: 'npm test --workspaces --if-present',
      packages: ['packages/a', 'packages/b'],
    },
  ],
  [
    'pnpm workspaces with turbo',
    {
      'package.json': { private: true, scripts: { build: 'turbo run build' }, devDependencies: { turbo: '2' } },
      'pnpm-workspace.yaml': 'packages:\n  - "apps/*"\n  - packages/**\n  - "!**/old"\n',
      'pnpm-lock.yaml': '',
      'turbo.json': '{\n  // what it runs\n  "tasks": { "build": {}, "test": { "dependsOn": ["^build"] } }\n}',
      'apps/web/package.json': { name: 'web', scripts: { test: 'vitest run' } },
      'packages/ui/old/package.json': { name: 'old' },
      'packages/ui/package.json': { name: 'ui' },
      'apps/web/src/a.tsx': '',
    },
    { type: 'node', manager: 'pnpm', framework: 'vitest', command: 'pnpm exec turbo run test', packages: ['apps/web', 'packages/ui'] },
  ],
  [
    'nx',
    {
      'package.json': { scripts: {}, devDependencies: { nx: '21', jest: '30' } },
      'package-lock.json': '',
      'nx.json': {},
      'apps/shop/project.json': {},
      'libs/cart/project.json': {},
      'apps/shop/src/main.ts': '',
    },
    { type: 'node', manager: 'npm', framework: 'jest', command: 'npx nx run-many -t test', packages: ['apps/shop', 'libs/cart'] },
  ],
  [
    'uv init with pytest',
    {
      'pyproject.toml': '[project]\nname = "a"\nrequires-python = ">=3.12"\n[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n',
      'uv.lock': '',
      'src/a/__init__.py': '',
      'tests/test_a.py': '',
    },
    { type: 'python', manager: 'uv', framework: 'pytest', command: 'uv run pytest', languages: ['python'] },
  ],
  [
    'a uv workspace',
    {
      'pyproject.toml': '[project]\nname = "all"\n[tool.uv.workspace]\nmembers = ["packages/*"]\n[tool.pytest.ini_options]\n',
      'uv.lock': '',
      'packages/a/pyproject.toml': '[project]\nname = "a"\n',
      'packages/a/src/a.py': '',
    },
    { type: 'python', manager: 'uv', framework: 'pytest', command: 'uv run --all-packages pytest', packages: ['packages/a'] },
  ],
  [
    'poetry',
    {
      'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
      'poetry.lock': '',
      'a/__init__.py': '',
      'tests/__init__.py': '',
    },
    { type: 'python', manager: 'poetry', framework: 'pytest', command: 'poetry run pytest' },
  ],
  [
    'pdm with a script',
    {
      'pyproject.toml': '[project]\nname = "a"\n[tool.pdm.scripts]\ntest = "pytest -q"\n[tool.pytest.ini_options]\n',
      'pdm.lock': '',
      'src/a.py': '',
    },
    { type: 'python', manager: 'pdm', framework: 'pytest', command: 'pdm run test' },
  ],
  [
    'hatch',
    { 'pyproject.toml': '[project]\nname = "a"\n[tool.hatch.envs.types]\n[tool.pytest.ini_options]\n', 'src/a.py': '' },
    { type: 'python', manager: 'hatch', framework: 'pytest', command: 'hatch test' },
  ],
  [
    'pipenv',
    { Pipfile: '[dev-packages]\npytest = "*"\n', 'Pipfile.lock': '', 'app.py': '' },
    { type: 'python', manager: 'pipenv', framework: 'pytest', command: 'pipenv run pytest' },
  ],
  [
    'requirements and tests of the standard library',
    { 'requirements.txt': 'requests\n', 'app.py': '', 'tests/test_app.py': 'import unittest\n' },
    { type: 'python', manager: 'pip', framework: 'unittest', command: 'python -m unittest discover -s tests' },
  ],
  [
    'requirements and tests that import pytest',
    { 'requirements.txt': 'requests\n', 'app.py': '', 'tests/test_app.py': 'import os\nimport pytest\n' },
    { type: 'python', manager: 'pip', framework: 'pytest', command: 'pytest' },
  ],
  [
    'Django',
    { 'manage.py': '', 'requirements.txt': 'Django\n', 'shop/settings.py': '', 'shop/tests.py': '' },
    { type: 'python', manager: 'pip', framework: 'django', command: 'python manage.py test' },
  ],
  [
    'tox alone',
    { 'setup.py': '', 'tox.ini': '[tox]\nenvlist = py312\n', 'a/b.py': '' },
    { type: 'python', manager: 'pip', framework: 'tox', command: 'tox' },
  ],
  [
    'cargo new',
    { 'Cargo.toml': '[package]\nname = "a"\n', 'Cargo.lock': '', 'src/main.rs': '' },
    { type: 'rust', manager: 'cargo', framework: 'cargo test', command: 'cargo test', languages: ['rust'] },
  ],
  [
    'a cargo workspace with nextest',
    {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n',
      '.config/nextest.toml': '',
      'crates/a/Cargo.toml': '[package]\nname = "a"\n',
      'crates/old/Cargo.toml': '[package]\nname = "old"\n',
      'crates/a/src/lib.rs': '',
    },
    { type: 'rust', manager: 'cargo', framework: 'nextest', command: 'cargo nextest run --workspace', packages: ['crates/a'] },
  ],
  [
    'go mod init',
    { 'go.mod': 'module example.org/a\n\ngo 1.24\n', 'main.go': '', 'main_test.go': '' },
    { type: 'go', manager: 'go', framework: 'go test', command: 'go test ./...', languages: ['go'] },
  ],
  [
    'Go with a Makefile',
    {
      'go.mod': 'module a\n',
      Makefile: '.PHONY: build test\nVERSION := 1\nbuild:\n\tgo build\ntest: build\n\tgo test -race ./...\n',
      'main.go': '',
    },
    { type: 'go', manager: 'go', framework: 'go test', command: 'make test' },
  ],
  [
    'a Go workspace without a module at the root',
    {
      'go.work': 'go 1.24\n\nuse (\n\t./api\n\t./tools/gen // generator\n)\n',
      'api/go.mod': 'module a/api\n',
      'tools/gen/go.mod': 'module a/gen\n',
      'api/main.go': '',
    },
    { type: 'go', manager: 'go', framework: 'go test', command: 'go test ./api/... ./tools/gen/...', packages: ['api', 'tools/gen'] },
  ],
  [
    'Spring with Maven',
    {
      'pom.xml': '<project><dependencies><artifactId>spring-boot-starter-test</artifactId></dependencies></project>',
      mvnw: '',
      'src/main/java/a/App.java': '',
      'src/test/java/a/AppTests.java': '',
    },
    { type: 'java', manager: 'maven', framework: 'junit5', command: './mvnw test', languages: ['java'] },
  ],
  [
    'gradle init for Kotlin, several projects',
    {
      'settings.gradle.kts': 'rootProject.name = "a"\ninclude("app", ":core:net")\n',
      gradlew: '',
      'app/build.gradle.kts': 'plugins { kotlin("jvm") }\ntasks.test { useJUnitPlatform() }\n',
      'app/src/main/kotlin/App.kt': '',
      'core/net/build.gradle.kts': '',
    },
    {
      type: 'java',
      manager: 'gradle',
      framework: 'junit5',
      command: './gradlew test',
      languages: ['kotlin'],
      packages: ['app', 'core/net'],
    },
  ],
  [
    'Kotlin for several platforms',
    {
      'settings.gradle.kts': 'rootProject.name = "a"\n',
      gradlew: '',
      'build.gradle.kts': 'plugins { kotlin("multiplatform") }\n',
      'src/commonTest/kotlin/ATest.kt': '',
    },
    { type: 'java', manager: 'gradle', command: './gradlew allTests' },
  ],
  [
    'dotnet new sln',
    {
      'Shop.sln': '',
      'src/Shop/Shop.csproj': '<TargetFramework>net9.0</TargetFramework>',
      'src/Shop/Cart.cs': '',
      'tests/Shop.Tests/Shop.Tests.csproj': '<PackageReference Include="xunit" />',
    },
    { type: 'dotnet', manager: 'nuget', framework: 'xunit', command: 'dotnet test', languages: ['csharp'] },
  ],
  [
    'two solutions in a folder',
    { 'A.sln': '', 'B.sln': '', 'A.Tests/A.Tests.csproj': '<PackageReference Include="NUnit" />', 'A.Tests/T.cs': '' },
    { type: 'dotnet', manager: 'nuget', framework: 'nunit', command: 'dotnet test A.sln' },
  ],
  [
    'rails new, with its bundler of scripts',
    {
      Gemfile: 'gem "rails"\n',
      'config/application.rb': '',
      'bin/rails': '',
      'package.json': { scripts: { build: 'esbuild app/javascript/*.*' } },
      'app/javascript/application.js': '',
      'test/test_helper.rb': '',
      ...createSourceFiles('app/models', 'rb'),
    },
    { type: 'ruby', manager: 'bundler', framework: 'minitest', command: 'bin/rails test' },
  ],
  [
    'a gem with rspec',
    { Gemfile: 'gemspec\n', 'a.gemspec': 'spec.add_development_dependency "rspec"\n', '.rspec': '', 'lib/a.rb': '', 'spec/a_spec.rb': '' },
    { type: 'ruby', manager: 'bundler', framework: 'rspec', command: 'bundle exec rspec' },
  ],
  [
    'a gem with minitest',
    { Gemfile: 'gemspec\n', Rakefile: 'task default: %i[test]\n', 'lib/a.rb': '', 'test/test_a.rb': '' },
    { type: 'ruby', manager: 'bundler', framework: 'minitest', command: 'bundle exec rake test' },
  ],
  [
    'laravel new with Pest',
    {
      'composer.json': { require: { php: '^8.2' }, 'require-dev': { 'pestphp/pest': '^3' }, scripts: { test: ['@php artisan test'] } },
      'composer.lock': '',
      artisan: '',
      'package.json': { scripts: { build: 'vite build', dev: 'vite' } },
      'resources/js/app.js': '',
      ...createSourceFiles('app/Http', 'php'),
    },
    { type: 'php', manager: 'composer', framework: 'pest', command: 'composer test' },
  ],
  [
    'a package with phpunit',
    { 'composer.json': { 'require-dev': { 'phpunit/phpunit': '^11' } }, 'phpunit.xml.dist': '', 'src/A.php': '', 'tests/ATest.php': '' },
    { type: 'php', manager: 'composer', framework: 'phpunit', command: 'vendor/bin/phpunit' },
  ],
  [
    'Tauri',
    {
      'package.json': { scripts: { test: 'vitest run' }, devDependencies: { vitest: '3' } },
      'pnpm-lock.yaml': '',
      'src-tauri/Cargo.toml': '[package]\nname = "app"\n',
      ...createSourceFiles('src', 'ts', 10),
      ...createSourceFiles('src-tauri/src', 'rs', 4),
    },
    { type: 'mixed', manager: 'pnpm', framework: 'vitest', command: 'pnpm test', languages: ['typescript', 'rust'] },
  ],
  [
    'a server and a web page with one Makefile',
    {
      Makefile: 'test: test-api test-web\n\ntest-api:\n\tcd backend && uv run pytest\n',
      'backend/pyproject.toml': '[project]\nname = "api"\n[tool.pytest.ini_options]\n',
      'backend/uv.lock': '',
      'frontend/package.json': { scripts: { test: 'vitest run' } },
      'frontend/package-lock.json': '',
      ...createSourceFiles('backend/api', 'py', 20),
      ...createSourceFiles('frontend/src', 'ts', 12),
    },
    { type: 'mixed', manager: 'uv', command: 'make test', languages: ['python', 'typescript'] },
  ],
  [
    'the same without a Makefile: the larger one in its folder',
    {
      'backend/pyproject.toml': '[project]\nname = "api"\n[tool.pytest.ini_options]\n',
      'backend/uv.lock': '',
      'frontend/package.json': { scripts: { test: 'vitest run' } },
      'frontend/package-lock.json': '',
      ...createSourceFiles('backend/api', 'py', 20),
      ...createSourceFiles('frontend/src', 'ts', 12),
    },
    { type: 'mixed', manager: 'uv', framework: 'pytest', command: 'uv run pytest', folder: 'backend' },
  ],
  [
    'maturin, with a justfile',
    {
      'pyproject.toml': '[build-system]\nbuild-backend = "maturin"\n[project]\nname = "fast"\n[tool.pytest.ini_options]\n',
      'Cargo.toml': '[package]\nname = "fast"\n',
      justfile: 'build:\n  maturin develop\n\ntest *args: build\n  cargo test\n  pytest {{args}}\n',
      ...createSourceFiles('src', 'rs', 8),
      ...createSourceFiles('python/fast', 'py', 8),
    },
    { type: 'mixed', manager: 'pip', command: 'just test' },
  ],
  [
    'an unknown project',
    { 'README.md': '', 'a.c': '', Makefile: 'check: all\n\ntest:: all\n' },
    { type: 'unknown', manager: '', command: 'make test', languages: ['c'] },
  ],
  ['an empty folder', {}, { type: 'unknown', manager: '', languages: [] }],
];
