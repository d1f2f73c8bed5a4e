// Makes modules of skills/ and agents/: they are part of the build, read and checked once, and need no path at run time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const head = (folder) => `// Generated from ${folder} by scripts/skills.mjs; not kept in git.\n`;

export async function writeSkills() {
  const bundle = join(root, 'node_modules', `.cache-cleo-skills-${process.pid}.mjs`);
  try {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/skills/rules/parse-skill.ts'],
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      outfile: bundle,
      logLevel: 'error',
    });
    const { parseSkillCatalog, parseSkill } = await import(`${pathToFileURL(bundle).href}?${Date.now()}`);
    const heads = {};
    const skills = foldersOf('skills').map((name) => {
      const path = `skills/${name}/SKILL.md`;
      const { skill } = checked(path, parseSkill(name, textOf(path)));
      heads[name] = textOf(path).slice(0, textOf(path).indexOf(skill.text));
      return { ...skill, origin: 'bundled', path };
    });
    const { order, rows } = checked('skills/catalog.json', parseSkillCatalog(textOf('skills/catalog.json')));
    write(
      'src/platform/skills.generated.ts',
      `${head('skills')}import type { Skill, SkillRow } from '#skills/model/skill.ts';\n\nexport const bundledSkills: Skill[] = ${JSON.stringify(skills, null, 2)};\n\n/** What stands before the text of each. */\nexport const bundledHeads: Record<string, string> = ${JSON.stringify(heads, null, 2)};\n\nexport const bundledCatalogue: { order: string[]; rows: SkillRow[] } = ${JSON.stringify({ order, rows }, null, 2)};\n`,
    );
  } finally {
    rmSync(bundle, { force: true });
  }
  const agents = Object.fromEntries(foldersOf('agents').map((name) => [name, agentOf(name)]));
  write('src/admin/rules/agents.generated.ts', `${head('agents')}export const agents = ${JSON.stringify(agents, null, 2)};\n`);
}

/** An agent as Claude Code reads it, and what others make of it. */
function agentOf(name) {
  const text = textOf(`agents/${name}/AGENT.md`);
  const [, description] = /^description: (.+)$/m.exec(text);
  return { text, description, body: text.slice(text.indexOf('\n---\n') + '\n---\n'.length) };
}

function checked(path, read) {
  if (read.remarks.length > 0) throw new Error(`${path}: ${read.remarks.map(({ message }) => message).join('; ')}`);
  return read;
}

const foldersOf = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

const textOf = (path) => readFileSync(join(root, path), 'utf8');

function write(path, text) {
  const target = join(root, path);
  let before;
  try {
    before = readFileSync(target, 'utf8');
  } catch {}
  if (before !== text) writeFileSync(target, text);
}
