// Checks skills/ and agents/ and writes them as modules, so that the build contains them and needs no path at run time.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const head = (folder) => `// Generated from ${folder} by scripts/skills.mjs; not in git.\n`;

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
    const skills = listFolders('skills').map((name) => {
      const path = `skills/${name}/SKILL.md`;
      const { skill } = requireValid(path, parseSkill(name, readText(path)));
      heads[name] = readText(path).slice(0, readText(path).indexOf(skill.text));
      return { ...skill, origin: 'bundled', path };
    });
    const { order, rows } = requireValid('skills/catalog.json', parseSkillCatalog(readText('skills/catalog.json')));
    write(
      'src/platform/skills.generated.ts',
      `${head('skills')}import type { Skill, SkillRow } from '#skills/model/skill.ts';\n\nexport const bundledSkills: Skill[] = ${JSON.stringify(skills, null, 2)};\n\n/** The front matter of each skill. */\nexport const bundledHeads: Record<string, string> = ${JSON.stringify(heads, null, 2)};\n\nexport const bundledCatalogue: { order: string[]; rows: SkillRow[] } = ${JSON.stringify({ order, rows }, null, 2)};\n`,
    );
  } finally {
    rmSync(bundle, { force: true });
  }
  const agents = Object.fromEntries(listFolders('agents').map((name) => [name, readAgent(name)]));
  write('src/admin/rules/agents.generated.ts', `${head('agents')}export const agents = ${JSON.stringify(agents, null, 2)};\n`);
}

/** Reads an agent in the format of Claude Code. `description` and `body` are for other clients. */
function readAgent(name) {
  const text = readText(`agents/${name}/AGENT.md`);
  const [, description] = /^description: (.+)$/m.exec(text);
  return { text, description, body: text.slice(text.indexOf('\n---\n') + '\n---\n'.length) };
}

function requireValid(path, read) {
  if (read.remarks.length > 0) throw new Error(`${path}: ${read.remarks.map(({ message }) => message).join('; ')}`);
  return read;
}

const listFolders = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

const readText = (path) => readFileSync(join(root, path), 'utf8');

function write(path, text) {
  const target = join(root, path);
  let before;
  try {
    before = readFileSync(target, 'utf8');
  } catch {}
  if (before !== text) writeFileSync(target, text);
}
