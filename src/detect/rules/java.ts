import type { ProjectDir } from './facts.ts';
import { isTestFile } from './ignored-folders.ts';
import { createHints, type DetectedPart, isShortLine, matchFirst } from './part.ts';

export function detectJava(dir: ProjectDir): DetectedPart | undefined {
  const gradle = dir.findFirst('settings.gradle.kts', 'settings.gradle', 'build.gradle.kts', 'build.gradle');
  const isMaven = dir.has('pom.xml') && (!gradle || dir.has('mvnw') || !dir.has('gradlew'));
  const from = isMaven ? 'pom.xml' : gradle;
  if (!from) return undefined;
  const tool = isMaven ? (dir.has('mvnw') ? './mvnw' : 'mvn') : dir.has('gradlew') ? './gradlew' : 'gradle';
  const builds = dir.files.filter((path) => /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?|libs\.versions\.toml)$/.test(path));
  const texts = builds.map((path) => dir.readText(path) ?? '').join('\n');
  const modules = isMaven ? parseMavenModules(dir.readText('pom.xml') ?? '') : parseGradleModules(dir.readText(gradle ?? '') ?? '');
  const version =
    /<(?:maven\.compiler\.release|java\.version)>(\d+)</.exec(texts)?.[1] ??
    /(?:JavaLanguageVersion\.of\(|jvmToolchain\()(\d+)/.exec(texts)?.[1];
  // Kotlin Multiplatform has a test task per platform, and one that runs all.
  const task = !isMaven && /kotlin\("multiplatform"\)|kotlin[.-]multiplatform/i.test(texts) ? 'allTests' : 'test';
  const test = { framework: matchFirst(texts, javaFrameworks), command: `${tool} ${task}`, from };
  return {
    from,
    packageManager: { name: isMaven ? 'maven' : 'gradle', from },
    test: dir.files.some(isTestFile) || /test/i.test(texts) ? test : undefined,
    workspace:
      modules.length > 0
        ? {
            tools: [{ name: isMaven ? 'maven modules' : 'gradle multi-project', from }],
            packages: modules.filter(isShortLine).map((folder) => ({ folder })),
          }
        : undefined,
    hints: createHints(from, {
      build: `${tool} ${isMaven ? 'package' : 'build'}`,
      lint:
        /\bktlint\b/.test(texts) && !isMaven
          ? `${tool} ktlintCheck`
          : /\bspotless\b/.test(texts) && `${tool} ${isMaven ? 'spotless:check' : 'spotlessCheck'}`,
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

const parseMavenModules = (text: string): string[] =>
  [...(/<modules>([\s\S]*?)<\/modules>/.exec(text)?.[1] ?? '').matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g)].map(([, name]) => name!);

/** Parses `include(":app", ":core:net")` to `app`, `core/net`. */
function parseGradleModules(text: string): string[] {
  const clean = text.replace(/\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
  return [...clean.matchAll(/^\s*include\b\s*\(?((?:\s*,?\s*["'][^"'\n]+["'])+)/gm)].flatMap(([, list]) =>
    [...(list ?? '').matchAll(/["']:?([^"'\n]+)["']/g)].map(([, path]) => path!.replaceAll(':', '/')),
  );
}
