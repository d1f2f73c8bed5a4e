import { join } from 'node:path';
import { anthropicApi } from './anthropic-api.ts';
import { type TestClient, writeFile, writeHomeFile } from './client.ts';
import { completionsApi } from './completions-api.ts';
import { geminiApi } from './gemini-api.ts';
import { responsesApi } from './responses-api.ts';

const resume = (words: string[], isResumed: boolean): string[] => (isResumed ? words : []);

const apiKey = 'none';

const claude: TestClient = {
  name: 'claude',
  api: anthropicApi,
  configure({ home, project }) {
    writeFile(join(project, '.claude', 'settings.local.json'), { enableAllProjectMcpServers: true });
    // The answers to what an interactive start asks a person.
    writeFile(join(home, '.claude.json'), {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [apiKey], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    });
  },
  addHook({ home }, command) {
    writeFile(join(home, '.claude', 'settings.json'), { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
  },
  getCommand: ({ prompt, isResumed, isInteractive, modelUrl }) => ({
    args: [
      ...(isInteractive ? [] : ['-p', prompt]),
      '--allowedTools',
      'mcp__cleo__cleo_query,mcp__cleo__cleo_mutate,Bash',
      ...resume(['--continue'], isResumed),
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: apiKey,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
  getTool: (gateway) => ({ name: `mcp__cleo__cleo_${gateway}` }),
  getShellCall: (command) => ({ name: 'Bash', args: { command, description: 'Run a command' } }),
  readShellOutput: (text) => text,
};

const codex: TestClient = {
  name: 'codex',
  api: responsesApi,
  configure(scratch) {
    writeHomeFile(
      scratch,
      '.codex/config.toml',
      `model = "m"
model_provider = "standin"

[model_providers.standin]
name = "standin"
base_url = "http://127.0.0.1:1/v1"
wire_api = "responses"
env_key = "STANDIN_KEY"

[projects.${JSON.stringify(scratch.project)}]
trust_level = "trusted"
`,
    );
    // Codex runs a login shell, which resets PATH.
    writeHomeFile(scratch, '.bash_profile', `export PATH=${JSON.stringify(scratch.env.PATH)}\n`);
  },
  addHook(scratch, command) {
    writeHomeFile(scratch, '.codex/hooks.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
  },
  getCommand: ({ prompt, isResumed, modelUrl }) => ({
    args: [
      'exec',
      ...resume(['resume', '--last'], isResumed),
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      '--skip-git-repo-check',
      '-c',
      `model_providers.standin.base_url="${modelUrl}/v1"`,
      prompt,
    ],
    env: { STANDIN_KEY: 'none' },
  }),
  getTool: (gateway) => ({ name: `cleo_${gateway}`, namespace: 'mcp__cleo' }),
  getShellCall: (command) => ({ name: 'exec_command', args: { cmd: command, yield_time_ms: 30_000 } }),
  readShellOutput: (text) => text.split(/^Output:\n/m).at(-1) ?? text,
};

const geminiSettings = { security: { auth: { selectedType: 'gemini-api-key' } } };

const gemini: TestClient = {
  name: 'gemini',
  api: geminiApi,
  configure(scratch) {
    writeHomeFile(scratch, '.gemini/settings.json', geminiSettings);
    writeHomeFile(scratch, '.gemini/trustedFolders.json', { [scratch.project]: 'TRUST_FOLDER' });
  },
  addHook(scratch, command) {
    const hooks = { AfterAgent: [{ hooks: [{ name: 'note', type: 'command', command }] }] };
    writeHomeFile(scratch, '.gemini/settings.json', { ...geminiSettings, hooks });
  },
  getCommand: ({ prompt, isResumed, modelUrl }) => ({
    // Without a model's name a router asks a second model first.
    args: ['--yolo', '-m', 'gemini-2.5-flash', ...resume(['--resume', 'latest'], isResumed), '-p', prompt],
    env: { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: 'none' },
  }),
  getTool: (gateway) => ({ name: `mcp_cleo_cleo_${gateway}` }),
  getShellCall: (command) => ({ name: 'run_shell_command', args: { command } }),
  // An error arrives as JSON inside JSON, after the call that led to it.
  readToolText(text) {
    const [, response] = /with response: (\[.*\])/s.exec(text) ?? [];
    return response && JSON.parse(response)[0].functionResponse.response.content[0].text;
  },
  readShellOutput: (text) => text.replace(/^Output: /, '').replace(/\nProcess Group PGID: \d+$/, ''),
};

const opencode: TestClient = {
  name: 'opencode',
  api: completionsApi,
  configure(scratch) {
    writeHomeFile(scratch, '.config/opencode/opencode.json', {
      provider: {
        standin: {
          npm: '@ai-sdk/openai-compatible',
          name: 'standin',
          options: { baseURL: '{env:STANDIN_URL}/v1', apiKey: 'none' },
          models: { m: { name: 'm' } },
        },
      },
      permission: { bash: 'allow' },
      autoupdate: false,
    });
  },
  getCommand: ({ prompt, isResumed, modelUrl }) => ({
    args: ['run', '--model', 'standin/m', ...resume(['--continue'], isResumed), prompt],
    env: {
      STANDIN_URL: modelUrl,
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
  getTool: (gateway) => ({ name: `cleo_cleo_${gateway}` }),
  getShellCall: (command) => ({ name: 'bash', args: { command, description: 'Run a command' } }),
  readShellOutput: (text) => text,
};

export const testClients = { claude, codex, gemini, opencode };
