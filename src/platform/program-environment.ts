import { classifyName } from '#lib/secrets.ts';
import { environmentMarks } from '#sessions/model/agent-marks.ts';

type Environment = Record<string, string | undefined>;

/** Variables that every program needs, on Windows too. A skill receives others only by name. */
const basicVariables = 'PATH HOME LANG TMPDIR TERM SystemRoot PATHEXT TEMP TMP USERPROFILE ComSpec'.split(' ');

/** Variables that compilers, package managers and test runners need to find their files, the proxy and the certificates. None of
 *  them is meant for a secret. `SSH_AUTH_SOCK` is missing on purpose: with it a program could sign as the user. */
const toolVariables = `
  USER LOGNAME USERNAME SHELL HOSTNAME TZ LANGUAGE COLUMNS LINES COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CI DISPLAY WAYLAND_DISPLAY
  windir SystemDrive APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) ProgramW6432 CommonProgramFiles HOMEDRIVE HOMEPATH
  NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS PSModulePath
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT
  NODE_ENV NODE_OPTIONS NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH COREPACK_HOME PNPM_HOME BUN_INSTALL DENO_DIR
  PLAYWRIGHT_BROWSERS_PATH CHROME_BIN npm_config_cache npm_config_registry
  PYTHONPATH PYTHONHOME PYTHONIOENCODING PYTHONUNBUFFERED PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV POETRY_HOME UV_CACHE_DIR
  JAVA_HOME JDK_HOME JAVA_OPTS JAVA_TOOL_OPTIONS MAVEN_HOME M2_HOME MAVEN_OPTS GRADLE_HOME GRADLE_USER_HOME GRADLE_OPTS ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR
  GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOPRIVATE GONOSUMDB GOTOOLCHAIN CGO_ENABLED
  CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE
  GEM_HOME GEM_PATH BUNDLE_PATH BUNDLE_GEMFILE RBENV_ROOT RBENV_VERSION RAILS_ENV RACK_ENV MIX_ENV MIX_HOME HEX_HOME
  DOTNET_ROOT DOTNET_CLI_HOME NUGET_PACKAGES COMPOSER_HOME PHP_INI_SCAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
  CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH LIBRARY_PATH CPATH SDKROOT DEVELOPER_DIR NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE
  DOCKER_HOST DOCKER_CONTEXT
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EXEC_PATH
  CLEO_HOME CLEO_AGENT_ID CLEO_SESSION_ID
`
  .trim()
  .split(/\s+/);

// `LC_ALL`, `XDG_CACHE_HOME`.
const toolVariablePattern = /^(?:LC|XDG)_[A-Z]+(?:_[A-Z]+)?$/;

/** A value with a password in a URL. Addresses of proxies may have one. */
const passwordInUrl = /\/\/[^\s/?#@]*:[^\s/?#@]*@/;

/** Variables by which a program sees that an agent or CI started it. Without them it would take itself for the program of a person.
 *  A mark whose value is a secret is not passed on. */
const listAgentMarks = (): string[] =>
  environmentMarks
    .flatMap(({ variables }) => variables.map((variable) => variable.replace(/[=~].*$/s, '')))
    .filter((name) => classifyName(name) === undefined);

let allowed: Set<string> | undefined;

/** Checks whether programs need a variable and its name does not stand for a secret: `PATH`, `JAVA_HOME`, `LC_ALL`. */
export function isPlainVariable(name: string): boolean {
  allowed ??= new Set([...basicVariables, ...toolVariables, ...listAgentMarks()].map((one) => one.toUpperCase()));
  const upper = name.toUpperCase();
  return allowed.has(upper) || (toolVariablePattern.test(upper) && classifyName(name) === undefined);
}

/** Selects the environment of a program that a project names: a judge, a check, a verification tool, a release gate. It receives the
 *  variables of `toolVariables` and those that the project declares by name, so that the secrets of the user's shell stay there. */
export function selectProgramEnvironment(env: Environment, declared: readonly string[] = []): Record<string, string> {
  const names = new Set(declared);
  return selectVariables(env, (name, value) => names.has(name) || (isPlainVariable(name) && !passwordInUrl.test(value)));
}

/** Selects the environment of a skill: the basic variables and those that its construct declares. */
export function selectSkillEnvironment(env: Environment, declared: readonly string[]): Record<string, string> {
  const names = new Set(declared);
  const basic = new Set(basicVariables.map((name) => name.toUpperCase()));
  // Windows writes `Path` and `SYSTEMROOT`: names of variables have no case there.
  return selectVariables(env, (name) => names.has(name) || basic.has(name.toUpperCase()));
}

function selectVariables(env: Environment, isSelected: (name: string, value: string) => boolean): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined && isSelected(name, value)) selected[name] = value;
  return selected;
}
