import { clientVariables } from './client-variables.ts';

/** A sign that a process is not used by a person: a variable of its environment, or one of its ancestor processes. */
export interface AgentMark {
  /** `terminal`: a program that makes a terminal for another one. */
  kind: 'agent' | 'ci' | 'terminal';
  /** The variable or the program. */
  name: string;
  /** The agent, the CI service or the program that the mark belongs to. */
  owner: string;
  /** The ancestor process; absent for a variable. */
  pid?: number;
}

/** The variables that mark a process of an agent or of CI: owner and variables. `NAME` is set, `NAME=value` has the value,
 *  `NAME~part` contains the part. The variables of `clientVariables` identify an agent as well; those added here only say that the
 *  process is not a person's. Loaded when a proof of a person is needed. */
export const environmentMarks: { kind: 'agent' | 'ci'; owner: string; variables: string[] }[] = [
  ...clientVariables.map(([owner, marks, conversations = '']) => listRow('agent', owner, `${marks} ${conversations}`)),
  ...(
    [
      ['an agent', 'AI_AGENT AGENT CLEO_AGENT_ID'],
      ['antigravity', 'ANTIGRAVITY_AGENT'],
      ['claude', 'CLAUDE_AGENT_SDK_VERSION'],
      ['copilot', 'COPILOT_MODEL COPILOT_ALLOW_ALL COPILOT_GITHUB_TOKEN'],
      ['crush', 'CRUSH'],
      ['cursor', 'CURSOR_SANDBOX'],
      ['devin', 'EDITOR~devin'],
      ['gemini', 'GEMINI_CLI_NO_RELAUNCH'],
      ['goose', 'GOOSE_PROVIDER'],
      ['hermes', 'HERMES_SESSION_ID'],
      ['openclaw', 'OPENCLAW_SHELL'],
      ['opencode', 'OPENCODE_CALLER'],
      ['pi', 'PI_CODING_AGENT PATH~.pi/agent PATH~.pi\\agent'],
      ['qwen', 'QWEN_CODE'],
      ['replit', 'REPL_ID'],
      ['roo', 'ROO_ACTIVE'],
      ['trae', 'TRAE_AI_SHELL_ID'],
    ] as const
  ).map(([owner, variables]) => listRow('agent', owner, variables)),
  ...(
    [
      ['CI', 'CI CONTINUOUS_INTEGRATION'],
      ['App Center', 'APPCENTER_BUILD_ID'],
      ['Appcircle', 'AC_APPCIRCLE'],
      ['AppVeyor', 'APPVEYOR'],
      ['Azure Pipelines', 'SYSTEM_TEAMFOUNDATIONCOLLECTIONURI TF_BUILD'],
      ['Azure Static Web Apps', 'INPUT_AZURE_STATIC_WEB_APPS_API_TOKEN'],
      ['Bamboo', 'bamboo_planKey'],
      ['Bitbucket', 'BITBUCKET_COMMIT'],
      ['Bitrise', 'BITRISE_IO'],
      ['Buddy', 'BUDDY_WORKSPACE_ID'],
      ['Buildkite', 'BUILDKITE'],
      ['CircleCI', 'CIRCLECI'],
      ['Cirrus CI', 'CIRRUS_CI'],
      ['Cleavr', 'CLEAVR'],
      ['Cloudflare', 'CF_PAGES WORKERS_CI'],
      ['CodeBuild', 'CODEBUILD_BUILD_ARN'],
      ['Codefresh', 'CF_BUILD_ID'],
      ['Drone', 'DRONE DRONE_BUILD_EVENT'],
      ['dsari', 'DSARI'],
      ['GitHub Actions', 'GITHUB_ACTIONS'],
      ['GitLab CI', 'GITLAB_CI CI_MERGE_REQUEST_ID'],
      ['GoCD', 'GO_PIPELINE_LABEL'],
      ['Hudson', 'HUDSON_URL'],
      ['Jenkins', 'JENKINS_URL'],
      ['LayerCI', 'LAYERCI'],
      ['Magnum CI', 'MAGNUM'],
      ['Netlify', 'NETLIFY'],
      ['Nevercode', 'NEVERCODE'],
      ['Render', 'RENDER'],
      ['Sail CI', 'SAILCI'],
      ['Screwdriver', 'SCREWDRIVER'],
      ['Semaphore', 'SEMAPHORE'],
      ['Shippable', 'SHIPPABLE'],
      ['Solano CI', 'TDDIUM'],
      ['Strider', 'STRIDER'],
      ['TeamCity', 'TEAMCITY_VERSION'],
      ['Travis CI', 'TRAVIS'],
      ['Vercel', 'NOW_BUILDER'],
    ] as const
  ).map(([owner, variables]) => listRow('ci', owner, variables)),
];

function listRow<K extends 'agent' | 'ci'>(kind: K, owner: string, variables: string): { kind: K; owner: string; variables: string[] } {
  return { kind, owner, variables: variables.split(' ').filter(Boolean) };
}

/** Programs that make a terminal for another program. A person who types in one of them uses another terminal. */
export const terminalPrograms = ['script', 'scriptreplay', 'expect', 'autoexpect', 'unbuffer', 'socat', 'faketty', 'empty', 'reptyr'];

/** The text of a one-line program that makes a terminal: `python3 -c "import pty; pty.spawn(…)"`. */
export const terminalCode = /\bimport pty\b|\bpty\.(spawn|fork|openpty)\b|\bpexpect\b|\bPTY\.(spawn|open|getpty)\b|\bnode-pty\b/;
