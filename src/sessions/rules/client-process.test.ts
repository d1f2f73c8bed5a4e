import { describe, expect, test } from 'vitest';
import type { EnvironmentIdentity, ProcessEntry } from '../model/caller-identity.ts';
import { type CallerFacts, chooseAgent, findClientOfProcess } from './client-process.ts';

const entry = (more: Partial<ProcessEntry>): ProcessEntry => ({
  pid: 7,
  parentPid: 1,
  startTime: '42',
  name: '',
  executable: '',
  argv: [],
  ...more,
});

test.each<[string, Partial<ProcessEntry>, string | undefined]>([
  ['the native file of Claude Code', { executable: '/opt/lib/claude.exe', argv: ['claude', '-p', 'go'] }, 'claude'],
  ['a versioned file that runs as claude', { executable: '/home/a/.local/share/claude/versions/2.1.197', name: 'claude' }, 'claude'],
  ['the script of Gemini CLI', { executable: '/usr/bin/node', argv: ['node', '--no-warnings', '/usr/bin/gemini', '-p'] }, 'gemini'],
  [
    'a script inside the package of Gemini CLI',
    { executable: '/usr/bin/node', argv: ['node', '/usr/lib/node_modules/@google/gemini-cli/dist/index.js'] },
    'gemini',
  ],
  ['the native Codex', { executable: '/opt/vendor/codex/codex', name: 'codex' }, 'codex'],
  ['OpenCode', { executable: '/opt/opencode.exe', argv: ['opencode', 'run'] }, 'opencode'],
  ['the agent of Cursor', { argv: ['/home/a/.local/bin/cursor-agent'] }, 'cursor'],
  ['a shell that mentions claude', { executable: '/usr/bin/bash', argv: ['bash', '-c', 'claude --help'] }, undefined],
  ['an editor with a file named gemini', { executable: '/usr/bin/vim', argv: ['vim', 'gemini'] }, undefined],
  ['an unreadable process', {}, undefined],
])('%s', (_, fields, client) => {
  expect(findClientOfProcess(entry(fields))).toBe(client);
});

const person: EnvironmentIdentity = { kind: 'person', agent: 'sam' };
const named: EnvironmentIdentity = { kind: 'named', agent: 'ada' };
const conversation = (client: string): EnvironmentIdentity => ({ kind: 'conversation', agent: `${client}-env`, client });
const mark = (client: string): EnvironmentIdentity => ({ kind: 'mark', agent: client, client });
const nest = (...nested: EnvironmentIdentity[]): EnvironmentIdentity => ({ ...nested[0]!, kind: 'mark', nested });
const process = (client: string) => ({ client, pid: 7, startTime: '42' });
const shell = { isServer: false };
const server = { isServer: true };

describe('chooses the agent', () => {
  test.each<[string, CallerFacts, string]>([
    ['Claude Code, server', { ...server, environment: conversation('claude'), process: process('claude') }, 'claude-env provisional'],
    [
      'Claude Code, server after --continue or /clear',
      { ...server, environment: conversation('claude'), process: process('claude'), recorded: 'claude-new' },
      'claude-new',
    ],
    ['Claude Code, shell', { ...shell, environment: conversation('claude') }, 'claude-env'],
    [
      'Claude Code, hook and status line',
      { ...shell, environment: conversation('claude'), process: process('claude'), requested: 'claude-input' },
      'claude-input',
    ],
    ['Codex, server', { ...server, environment: person, process: process('codex'), requested: 'codex-thread' }, 'codex-thread'],
    ['Codex, shell', { ...shell, environment: conversation('codex') }, 'codex-env'],
    ['Codex, hook', { ...shell, environment: person, process: process('codex'), requested: 'codex-input' }, 'codex-input'],
    ['Gemini CLI, server', { ...server, environment: mark('gemini'), process: process('gemini') }, 'gemini-7-42 provisional'],
    [
      'Gemini CLI, server after the hook',
      { ...server, environment: mark('gemini'), process: process('gemini'), recorded: 'gemini-x' },
      'gemini-x',
    ],
    [
      'Gemini CLI, shell after the hook',
      { ...shell, environment: mark('gemini'), process: process('gemini'), recorded: 'gemini-x' },
      'gemini-x',
    ],
    [
      'Gemini CLI, hook',
      { ...shell, environment: conversation('gemini'), process: process('gemini'), requested: 'gemini-in' },
      'gemini-in',
    ],
    ['OpenCode, server', { ...server, environment: mark('opencode'), process: process('opencode') }, 'opencode-7-42 provisional'],
    ['OpenCode, shell', { ...shell, environment: mark('opencode'), process: process('opencode') }, 'opencode-7-42 provisional'],
    ['a mark in a sandbox', { ...shell, environment: mark('gemini') }, 'gemini'],
    ['a server of an unknown client', { ...server, environment: person, process: process('mcp') }, 'mcp-7-42 provisional'],
    [
      'a server on a system without start times',
      { ...server, environment: person, process: { ...process('mcp'), startTime: '' } },
      'mcp-7 provisional',
    ],
    ['a server without any process', { ...server, environment: person }, 'sam'],
    ['a person', { ...shell, environment: person }, 'sam'],
    ['CLEO_AGENT_ID', { ...server, environment: named, process: process('claude'), recorded: 'claude-x', requested: 'codex-y' }, 'ada'],
    ['the agent of the call', { ...server, environment: conversation('claude'), named: 'eve', requested: 'codex-y' }, 'eve'],
    ['an HTTP server', { ...shell, environment: { kind: 'shared', agent: 'http' } }, 'http'],
    [
      'an HTTP server that is asked by Codex',
      { ...shell, environment: { kind: 'shared', agent: 'http' }, requested: 'codex-y' },
      'codex-y',
    ],
    [
      'Gemini CLI that Claude Code started',
      { ...shell, environment: nest(conversation('claude'), mark('gemini')), process: process('gemini') },
      'gemini-7-42 provisional',
    ],
    [
      'Codex that Claude Code started',
      { ...shell, environment: nest(conversation('claude'), conversation('codex')), process: process('codex') },
      'codex-env',
    ],
    ['nested clients in a sandbox', { ...shell, environment: nest(mark('gemini'), conversation('codex')) }, 'codex-env'],
  ])('%s', (_, facts, expected) => {
    const { agent, isProvisional } = chooseAgent(facts);
    expect(`${agent}${isProvisional ? ' provisional' : ''}`).toBe(expected);
  });
});
