import { getAtPath, type ProjectDir, readTomlFile, toStrings } from './facts.ts';
import { createHints, type DetectedPart, matchWorkspaceFolders, toPackage } from './part.ts';

export function detectRust(dir: ProjectDir): DetectedPart | undefined {
  if (!dir.has('Cargo.toml')) return undefined;
  const manifest = readTomlFile(dir, 'Cargo.toml');
  const members = toStrings(getAtPath(manifest, 'workspace', 'members'));
  const excluded = toStrings(getAtPath(manifest, 'workspace', 'exclude')).map((pattern) => `!${pattern}`);
  const packages = matchWorkspaceFolders(dir.foldersWith('Cargo.toml'), [...members, ...excluded]);
  // Without this flag, cargo tests only the package of the folder.
  const workspaceFlag = members.length > 0 ? ' --workspace' : '';
  const nextest = dir.findFirst('.config/nextest.toml');
  const version = getAtPath(manifest, 'package', 'rust-version') ?? getAtPath(manifest, 'workspace', 'package', 'rust-version');
  const from = 'Cargo.toml';
  return {
    from,
    packageManager: { name: 'cargo', from: dir.has('Cargo.lock') ? 'Cargo.lock' : from },
    test: nextest
      ? { framework: 'nextest', command: `cargo nextest run${workspaceFlag}`, from: nextest }
      : { framework: 'cargo test', command: `cargo test${workspaceFlag}`, from },
    workspace:
      members.length > 0
        ? {
            tools: [{ name: 'cargo workspace', from }],
            packages: packages.map((folder) => toPackage(folder, getAtPath(readTomlFile(dir, `${folder}/Cargo.toml`), 'package', 'name'))),
          }
        : undefined,
    hints: createHints('Cargo.toml', {
      build: `cargo build${workspaceFlag}`,
      lint: `cargo clippy${workspaceFlag} --all-targets`,
      format: 'cargo fmt --all --check',
      // Nextest does not run tests in doc comments.
      tests: nextest && `cargo test --doc${workspaceFlag}`,
      runtime: typeof version === 'string' && `Rust ${version}`,
    }),
  };
}
