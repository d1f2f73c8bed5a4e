import { quote } from '#core/errors/quote.ts';
import { dig, type Place, texts, tomlIn } from './facts.ts';
import { matching } from './glob.ts';
import { hints, isPlain, namedIn, type Part } from './part.ts';
import { isTestFile } from './sidelines.ts';

export function rustPart(place: Place): Part | undefined {
  if (!place.has('Cargo.toml')) return undefined;
  const manifest = tomlIn(place, 'Cargo.toml');
  const members = texts(dig(manifest, 'workspace', 'members'));
  const excluded = texts(dig(manifest, 'workspace', 'exclude')).map((pattern) => `!${pattern}`);
  const packages = matching(place.foldersWith('Cargo.toml'), [...members, ...excluded]);
  // Without it cargo tests the package of the folder alone.
  const whole = members.length > 0 ? ' --workspace' : '';
  const nextest = place.first('.config/nextest.toml');
  const version = dig(manifest, 'package', 'rust-version') ?? dig(manifest, 'workspace', 'package', 'rust-version');
  const from = place.at('Cargo.toml');
  return {
    type: 'rust',
    folder: place.folder,
    from,
    packageManager: { name: 'cargo', from: place.has('Cargo.lock') ? place.at('Cargo.lock') : from },
    test: nextest
      ? { framework: 'nextest', command: `cargo nextest run${whole}`, from: place.at(nextest) }
      : { framework: 'cargo test', command: `cargo test${whole}`, from },
    ...(members.length > 0
      ? {
          workspace: {
            tools: [{ name: 'cargo workspace', from }],
            packages: packages.map((folder) => {
              const name = dig(tomlIn(place, `${folder}/Cargo.toml`), 'package', 'name');
              return { folder: place.at(folder), ...(typeof name === 'string' && name ? { name } : {}) };
            }),
          },
        }
      : {}),
    hints: hints(place, 'Cargo.toml', {
      build: `cargo build${whole}`,
      lint: `cargo clippy${whole} --all-targets`,
      format: 'cargo fmt --all --check',
      // Nextest runs no tests that stand in comments.
      tests: nextest && `cargo test --doc${whole}`,
      runtime: typeof version === 'string' ? `Rust ${version}` : undefined,
    }),
  };
}

export function goPart(place: Place): Part | undefined {
  const from = place.first('go.work', 'go.mod');
  if (!from) return undefined;
  const used = place.has('go.work') ? usedIn(place.text('go.work') ?? '') : [];
  const lint = place.first('.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json');
  const version = /^go (\d+\.\d+(?:\.\d+)?)/m.exec(place.text(from) ?? '')?.[1];
  // A pattern reaches the modules of a workspace only if it begins in one of them.
  const every = used.length > 0 ? used.map((folder) => (folder === '' ? './...' : `./${folder}/...`)).join(' ') : './...';
  return {
    type: 'go',
    folder: place.folder,
    from: place.at(from),
    packageManager: { name: 'go', from: place.at(from) },
    test: { framework: 'go test', command: `go test ${every}`, from: place.at(from) },
    ...(used.length > 1
      ? {
          workspace: {
            tools: [{ name: 'go workspace', from: place.at('go.work') }],
            packages: used.map((folder) => {
              const name = /^module (\S+)/m.exec(place.text(folder === '' ? 'go.mod' : `${folder}/go.mod`) ?? '')?.[1];
              return { folder: place.at(folder) || '.', ...(name ? { name } : {}) };
            }),
          },
        }
      : {}),
    hints: [
      ...hints(place, from, {
        build: `go build ${every}`,
        lint: lint ? undefined : `go vet ${every}`,
        format: 'gofmt -l .',
        runtime: version && `Go ${version}`,
      }),
      ...(lint ? hints(place, lint, { lint: 'golangci-lint run' }) : []),
    ],
  };
}

/** The folders that a workspace uses, from its own. */
function usedIn(text: string): string[] {
  const clean = text.replace(/\/\/.*$/gm, '');
  const blocks = [...clean.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, body]) => (body ?? '').split('\n'));
  const single = [...clean.matchAll(/^use\s+([^(\s]\S*)/gm)].map(([, path]) => path ?? '');
  return [...new Set([...blocks, ...single].map((path) => path.trim().replace(/^"|"$/g, '')))]
    .slice(0, 30)
    .filter((path) => path !== '' && !path.startsWith('..') && /^[\w./@-]{1,100}$/.test(path))
    .map((path) => path.replace(/^\.\/?/, '').replace(/\/$/, ''));
}

const solutions = /^[^/]+\.(?:sln|slnx)$/;
const projects = /\.(?:cs|fs|vb)proj$/;

export function dotnetPart(place: Place): Part | undefined {
  const own = place.files.filter((path) => solutions.test(path) || (projects.test(path) && !path.includes('/')));
  const nested = place.files.filter((path) => /^[^/]+\/[^/]+\.(?:sln|slnx)$/.test(path));
  const testProjects = place.files.filter((path) => projects.test(path) && /(?:tests?|specs?)\.(?:cs|fs|vb)proj$/i.test(path));
  const all = place.files.filter((path) => projects.test(path));
  const from = own[0] ?? place.first('global.json', 'Directory.Build.props') ?? (place.folder === '' ? (nested[0] ?? all[0]) : undefined);
  if (!from || all.length === 0) return undefined;
  const solution = own.filter((path) => solutions.test(path));
  // With more than one in a folder the command has to say which.
  const target =
    own.length === 1 || (own.length === 0 && nested.length === 0 && testProjects.length === 0)
      ? ''
      : ` ${quote(solution[0] ?? own[0] ?? nested[0] ?? testProjects[0] ?? '.')}`;
  const texts = [...testProjects, ...all, 'Directory.Packages.props', 'Directory.Build.props']
    .map((path) => place.text(path) ?? '')
    .join('\n');
  const framework = namedIn(texts, [
    [/"xunit/i, 'xunit'],
    [/"NUnit"/i, 'nunit'],
    [/"MSTest/i, 'mstest'],
    [/"TUnit"/i, 'tunit'],
  ]);
  const version = /<TargetFrameworks?>([^<]+)</.exec(texts)?.[1];
  return {
    type: 'dotnet',
    folder: place.folder,
    from: place.at(from),
    packageManager: { name: 'nuget', from: place.at(from) },
    test: { framework, command: `dotnet test${target}`, from: place.at(testProjects[0] ?? from) },
    hints: hints(place, from, {
      build: `dotnet build${target}`,
      format: `dotnet format${target} --verify-no-changes`,
      runtime: version && `.NET ${version.trim()}`,
    }),
  };
}

export function javaPart(place: Place): Part | undefined {
  const gradle = place.first('settings.gradle.kts', 'settings.gradle', 'build.gradle.kts', 'build.gradle');
  const isMaven = place.has('pom.xml') && (!gradle || place.has('mvnw') || !place.has('gradlew'));
  const from = isMaven ? 'pom.xml' : gradle;
  if (!from) return undefined;
  const tool = isMaven ? (place.has('mvnw') ? './mvnw' : 'mvn') : place.has('gradlew') ? './gradlew' : 'gradle';
  const builds = place.files.filter((path) => /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|libs\.versions\.toml)$/.test(path));
  const texts = builds.map((path) => place.text(path) ?? '').join('\n');
  const modules = isMaven ? mavenModules(place.text('pom.xml') ?? '') : gradleModules(place.text(gradle ?? '') ?? '');
  const version =
    /<(?:maven\.compiler\.release|java\.version)>(\d+)</.exec(texts)?.[1] ??
    /(?:JavaLanguageVersion\.of\(|jvmToolchain\()(\d+)/.exec(texts)?.[1];
  // Kotlin for several platforms has a task of tests for each, and one that runs them all.
  const task = !isMaven && /kotlin\("multiplatform"\)|kotlin[.-]multiplatform/i.test(texts) ? 'allTests' : 'test';
  const test = { framework: namedIn(texts, javaFrameworks), command: `${tool} ${task}`, from: place.at(from) };
  return {
    type: 'java',
    folder: place.folder,
    from: place.at(from),
    packageManager: { name: isMaven ? 'maven' : 'gradle', from: place.at(from) },
    ...(place.files.some(isTestFile) || /test/i.test(texts) ? { test } : {}),
    ...(modules.length > 0
      ? {
          workspace: {
            tools: [{ name: isMaven ? 'maven modules' : 'gradle multi-project', from: place.at(from) }],
            packages: modules.filter(isPlain).map((folder) => ({ folder: place.at(folder) })),
          },
        }
      : {}),
    hints: hints(place, from, {
      build: isMaven ? `${tool} package` : `${tool} build`,
      lint:
        /\bktlint\b/.test(texts) && !isMaven
          ? `${tool} ktlintCheck`
          : /\bspotless\b/.test(texts)
            ? isMaven
              ? `${tool} spotless:check`
              : `${tool} spotlessCheck`
            : undefined,
      runtime: version && `Java ${version}`,
    }),
  };
}

const javaFrameworks: [RegExp, string][] = [
  [/\bkotest\b/, 'kotest'],
  [/\bspock\b/, 'spock'],
  [/\btestng\b/i, 'testng'],
  [/junit-jupiter|junit\.jupiter|useJUnitPlatform|spring-boot-starter-test|junit-bom|kotlin\("test"\)|kotlin-test/, 'junit5'],
  [/\bjunit\b/i, 'junit4'],
];

const mavenModules = (text: string): string[] =>
  [...(/<modules>([\s\S]*?)<\/modules>/.exec(text)?.[1] ?? '').matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g)].map(([, name]) => name!);

/** `include(":app", ":core:net")` → `app`, `core/net`. */
function gradleModules(text: string): string[] {
  const clean = text.replace(/\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...clean.matchAll(/^\s*include\b\s*\(?((?:\s*,?\s*["'][^"'\n]+["'])+)/gm)].flatMap(([, list]) =>
    [...(list ?? '').matchAll(/["']:?([^"'\n]+)["']/g)].map(([, path]) => path!.replaceAll(':', '/')),
  );
}
