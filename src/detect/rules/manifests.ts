import { isFixture } from './ignored-folders.ts';

/** Files that describe how a project or a package is built. */
const manifestNames =
  /^(?:package\.json|project\.json|pnpm-workspace\.yaml|turbo\.json|lerna\.json|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile|requirements[^/]*\.(?:txt|in)|(?:dev|test)-requirements\.(?:txt|in)|Cargo\.toml|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|libs\.versions\.toml|[^/]+\.(?:cs|fs|vb)proj|Directory\.(?:Build|Packages)\.props|Gemfile(?:\.lock)?|gems\.rb|[^/]+\.gemspec|Rakefile|\.ruby-version|composer\.json|(?:GNUm|m|M)akefile|[Jj]ustfile|\.justfile|[Tt]askfile(?:\.dist)?\.ya?ml)$/;

export const isManifest = (path: string): boolean => {
  const parts = path.split('/');
  return parts.length <= 5 && !isFixture(path) && (manifestNames.test(parts.at(-1)!) || /^requirements\/[^/]+\.(?:txt|in)$/.test(path));
};

/** The imports of a test file show its framework. */
export const isPythonTest = (path: string): boolean => path.split('/').length <= 5 && /(?:^|\/)(?:test_[^/]+|[^/]+_test)\.py$/.test(path);
