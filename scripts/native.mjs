// `npm run build:native`: compiles the sources to one executable for the platform that it runs on, into `dist-native/` or the folder that is
// given. Bun comes from npm (see scripts/bun). The executable is built twice: the first one records which functions everyday commands use,
// and the second one stores these next to each other, which halves what a start reads.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWeb } from './build-web.mjs';
import { executableName, findBun } from './find-bun.mjs';
import { writeIndex } from './index.mjs';
import { addStart } from './native-start.mjs';
import { everydayWords, serverWord, warmUp } from './warm-up.mjs';
import { writeExecutable } from './write-executable.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, process.argv[2] ?? 'dist-native');
const executable = join(target, executableName);
/** Commands whose starts matter most come first. */
const firstWords = [...everydayWords, serverWord];

const bun = findBun();
if (!bun) {
  console.error(`Bun is not installed for ${process.platform}-${process.arch}. Run: npm install --include=optional`);
  process.exit(1);
}
const { files } = await writeIndex();
const webFolder = join(root, 'dist', 'web');
await buildWeb(webFolder);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'cleo-native-'));
let bytes;
try {
  const draft = join(scratch, executableName);
  bundle(draft, []);
  const profiles = new Map();
  await warmUp([draft], (command) => {
    profiles.set(command, join(scratch, `profile-${profiles.size}`));
    return { BUN_BYTECODE_ORDER_OUT: profiles.get(command) };
  });
  const getRank = (command) => firstWords.indexOf(command.split(' ')[0]) + 1 || firstWords.length + 1;
  const ordered = [...profiles.keys()].sort((a, b) => getRank(a) - getRank(b));
  bundle(
    draft,
    ordered.map((command) => profiles.get(command)),
  );
  const problem = addStart(draft, { everydayWords, serverWord });
  if (problem) console.error(`Everyday commands start with the settings of all others, because ${problem}.`);
  bytes = readFileSync(draft);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
writeExecutable(executable, bytes);
// The format of sha256sum, so that `sha256sum --check` reads it.
const digest = createHash('sha256').update(bytes).digest('hex');
writeFileSync(`${executable}.sha256`, `${digest}  ${executableName}\n`);

function bundle(outfile, profiles) {
  const options = JSON.stringify({ files, webFolder, outfile, profiles });
  // Assets are embedded under their path relative to the working folder.
  const { status, error } = spawnSync(bun, [join(root, 'scripts', 'bundle-native.mjs'), options], {
    cwd: join(root, 'dist'),
    stdio: 'inherit',
  });
  if (status !== 0) throw error ?? new Error(`Bun exited with ${status}`);
}
