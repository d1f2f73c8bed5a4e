import type { Hint, ProjectContext, ProjectPart, ProjectType, Testing } from '../model/project-context.ts';
import { dotnetPart, goPart, javaPart, rustPart } from './compiled.ts';
import { type Place, type ProjectFacts, placeIn } from './facts.ts';
import { candidates, habits } from './habits.ts';
import { countLanguages, filesOf, languages } from './languages.ts';
import { nodePart } from './node.ts';
import { isPlain, type Part } from './part.ts';
import { pythonPart } from './python.ts';
import { runnerTarget } from './runner.ts';
import { phpPart, rubyPart } from './scripted.ts';

const detectors: [ProjectType, (place: Place) => Part | undefined][] = [
  ['node', nodePart],
  ['python', pythonPart],
  ['rust', rustPart],
  ['go', goPart],
  ['java', javaPart],
  ['dotnet', dotnetPart],
  ['ruby', rubyPart],
  ['php', phpPart],
];
/** A thing with less than this share of the files is a tool of the project, not what it is. */
const leastShare = 0.15;
const mostParts = 20;
const mostPackages = 50;

/** What a project is, by the names of its files and what a few of them say. Nothing is run, and what cannot be told is left out.
 *
 *  Of the ways to test it what somebody wrote down wins over what is usual. Where languages are mixed, only a task runner of no
 *  language (make, just, task) can know them all, so its target wins there over the script of one of them. */
export function detectProject(given: ProjectFacts): ProjectContext {
  const facts = { ...given, files: given.files.filter(isPlain), above: given.above.filter(isPlain) };
  const root = placeIn(facts, '');
  const counts = countLanguages(facts.files);
  const weightOf = (type: ProjectType): number => filesOf(type, counts);
  const sizes = new Map<string, number>();
  const sizeOf = ({ folder }: Part): number => {
    const size = sizes.get(folder) ?? facts.files.filter((path) => path.startsWith(`${folder}/`)).length;
    sizes.set(folder, size);
    return size;
  };
  const parts = partsIn(facts, root).sort((a, b) => weightOf(b.type) - weightOf(a.type) || depth(a) - depth(b) || sizeOf(b) - sizeOf(a));
  const types = [...new Set(parts.map(({ type }) => type))];
  const total = types.reduce((sum, type) => sum + weightOf(type), 0);
  const main = types.filter((type) => total === 0 || weightOf(type) >= total * leastShare);
  const leading = parts.filter(({ type }) => main.includes(type));
  const runner = runnerTarget(root, 'test');
  const first = leading.find(({ test }) => test) ?? leading[0];
  const isMixed = main.length > 1;
  const testing =
    runner && (isMixed || !first?.test?.isDeclared) ? { ...runner, framework: isMixed ? undefined : first?.test?.framework } : first?.test;
  const isRunner = testing !== undefined && testing !== first?.test;
  const monorepo = monorepoOf(parts);
  return {
    type: isMixed ? 'mixed' : (main[0] ?? 'unknown'),
    languages: languages(counts),
    ...(first ? { packageManager: first.packageManager } : {}),
    ...(testing ? { testing: testingOf(testing, isRunner ? '' : (first?.folder ?? '')) } : {}),
    parts: parts.slice(0, mostParts).map(partOf),
    ...(monorepo ? { monorepo } : {}),
    llmHints: hintsOf(root, leading),
  };
}

const depth = ({ folder }: Part): number => (folder === '' ? 0 : folder.split('/').length);

/** At the root, and where nothing above knows of it: what has a way to be tested, or a list of its packages, speaks for all that lies
 *  below it. */
function partsIn(facts: ProjectFacts, root: Place): Part[] {
  const found: Part[] = [];
  for (const folder of candidates(facts.files)) {
    const open = detectors.filter(
      ([type]) => !found.some((part) => part.type === type && isAbove(part, folder) && (part.test || part.workspace)),
    );
    if (open.length === 0) continue;
    const place = folder === '' ? root : placeIn(facts, folder);
    for (const [, detect] of open) {
      const part = detect(place);
      if (part) found.push(part);
    }
  }
  return found;
}

const isAbove = (part: Part, folder: string): boolean => part.folder === '' || folder.startsWith(`${part.folder}/`);

const testingOf = ({ framework, command, from }: NonNullable<Part['test']>, folder: string): Testing => ({
  ...(framework ? { framework } : {}),
  command,
  ...(folder === '' ? {} : { folder }),
  from,
});

const partOf = ({ type, folder, from, packageManager, test }: Part): ProjectPart => ({
  type,
  ...(folder === '' ? {} : { folder }),
  from,
  packageManager,
  ...(test ? { testing: testingOf(test, folder) } : {}),
});

function monorepoOf(parts: Part[]): ProjectContext['monorepo'] {
  const spaces = parts.flatMap(({ workspace }) => workspace ?? []);
  const packages = spaces
    .flatMap((space) => space.packages)
    .map(({ folder, name }) => ({ folder, ...(name && isPlain(name) ? { name } : {}) }));
  const tools = spaces.flatMap((space) => space.tools);
  if (tools.length === 0) return undefined;
  const more = packages.length - mostPackages;
  return { tools, packages: packages.slice(0, mostPackages), ...(more > 0 ? { more } : {}) };
}

/** Each once; what holds in a folder alone says so. */
function hintsOf(root: Place, parts: Part[]): Hint[] {
  const all = [
    ...parts
      .slice(0, 6)
      .flatMap(({ folder, hints }) => hints.map((hint) => (folder === '' ? hint : { ...hint, text: `in ${folder}: ${hint.text}` }))),
    ...habits(root),
  ];
  const seen = new Set<string>();
  return all.filter(({ about, text }) => !seen.has(`${about} ${text}`) && seen.add(`${about} ${text}`)).slice(0, 40);
}
