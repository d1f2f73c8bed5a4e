import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson } from './app.ts';
import { harmlessTexts } from './harmless-texts.ts';
import { getSecretCore, placedSecrets, secrets } from './secrets.ts';
import { openSkillProject, type SkillProject } from './skill-project.ts';

/** Values that are secret only because of the names of their variables. */
const values = { API_TOKEN: 'correct horse battery staple', OWN_PASSWORD: 'päss"wörd\\with/odd&signs', PLAIN: 'not-secret-at-all' };

const formats = ['jsonl', 'csv', 'otlp-json', 'junit', 'in-toto'];

/** A skill that leaks every secret everywhere: in one piece, in two writes, encoded, nested. */
const leaky = `
import { appendFileSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
const secrets = JSON.parse(readFileSync('given.json', 'utf8'));
const { inputs } = JSON.parse(readFileSync(0, 'utf8'));
const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const both = (text) => { writeSync(1, text); writeSync(2, text); };
for (const [i, secret] of secrets.entries()) {
  const half = Math.floor(secret.length / 2);
  both('[' + i + '] ' + secret.slice(0, half));
  if (i % 10 === 0) wait(20);
  both(secret.slice(half) + '\\n');
  both(Buffer.from(secret).toString('base64') + '\\n' + JSON.stringify({ nested: { text: 'a\\n' + secret } }) + '\\n\\u001b[31m' + secret + '\\u001b[0m\\n');
  appendFileSync(process.env.CLEO_EVENTS, JSON.stringify({ type: 'progress', message: secret }) + '\\n' + JSON.stringify({ type: 'warning', message: 'mind ' + secret }) + '\\n');
}
for (const name of ['API_TOKEN', 'OWN_PASSWORD']) both([process.env[name], encodeURIComponent(process.env[name]), JSON.stringify(process.env[name]), ''].join('\\n'));
both(process.argv.slice(2).join(' ') + '\\n' + JSON.stringify(inputs) + '\\n');
writeFileSync('undeclared_' + secrets.find((one) => one.startsWith('ghp_')) + '.txt', 'x');
writeFileSync('made.md', '# Made\\n' + secrets.join('\\n\\n') + '\\n' + process.env.API_TOKEN);
writeFileSync(process.env.CLEO_RESULT, JSON.stringify({
  goal_statement: 'reach ' + secrets.join(' '), evidence: secrets.map((secret) => ({ type: 'note', description: secret, reference: secret })),
  warnings: secrets.map((message) => ({ code: 'leak', message })), side_effects: secrets.map((target) => ({ type: 'api_call', target, description: target })), confidence: 1,
}));
process.exit(process.argv[2] === 'fail' ? 1 : 0);
`;

const all = [...Object.values(secrets), ...Object.values(placedSecrets).map(([text]) => text)];
const cores = Object.fromEntries([
  ...Object.keys(secrets).map((name) => [name, getSecretCore(name)] as const),
  ...Object.entries(placedSecrets).map(([name, [, core]]) => [name, core] as const),
]);
const [token, plain] = [secrets['GitHub token']!, secrets.OpenAI!];

async function openLeakyProject(fails: boolean): Promise<SkillProject> {
  const shop = await openSkillProject({ env: { ...values, CLEO_OPERATOR: 'ci' } });
  shop.writeFile('given.json', JSON.stringify(all));
  shop.writeFile('skills/leak/run.mjs', leaky);
  shop.writeFile('skills/leak/SKILL.md', `---\nname: leak\ndescription: ${all[5]}\n---\n`);
  shop.writeFile(
    'judge.sh',
    'cat > asked.txt; echo "{\\"verdict\\":\\"pass\\",\\"score\\":0.9,\\"reasons\\":[\\"$(head -c 300 given.json | tr -d \'\\"\\\\\\\\\')\\"]}"',
  );
  const words = ['node', 'skills/leak/run.mjs', fails ? 'fail' : 'well', ...all.filter((one) => !one.includes('\n')).slice(0, 40)];
  shop.writeConstruct(`
execution: {phases: [only]}
skills: [{name: leak, phase: only, run: ${JSON.stringify(words)}}]
env: [API_TOKEN, PLAIN]
credentials: [OWN_PASSWORD]
contracts: {only: {outputs: [made.md]}}
assessment:
  capture: {include_inputs: full, include_outputs: full}
  goal: {mode: judge_then_review}
  judge: {command: [sh, judge.sh]}
  gates: {only: {precondition: {severity: warn, checks: [{command: ["false", ${JSON.stringify(all[6])}]}]}}}
`);
  return shop;
}

test.each([false, true])('stores, shows and passes to a judge no secret in any form (failing: %s)', async (fails) => {
  const shop = await openLeakyProject(fails);
  const input = { list: all, deep: { deeper: [{ text: all.join(' ') }] }, password: 'hunter2', [all[7]!]: 1 };
  const answers = [
    await shop.runConstruct({
      input,
      intent: `do it with ${all
        .filter((one) => one.length < 100)
        .join(' ')
        .slice(0, 4000)}`,
      var: [],
    }),
    await shop.call('trace.list'),
    await shop.call('trace.show', { run: shop.readEvents()[0]!.run_id }),
    await shop.call('review.list'),
    ...(await Promise.all(formats.map((format) => shop.call('trace.export', { format })))),
    await shop.call('assess.run', { runs: ['*'] }),
    await shop.call('assess.dashboard', { out: 'page.html' }),
    // Questions to the judge are redacted as well as answers.
    await shop.runConstruct({ phase: token }),
    await shop.runConstruct({ file: `${token}.yaml` }),
    await shop.runConstruct({ resume: token }),
    await shop.runConstruct({ force: token, reason: plain }),
    await shop.runConstruct({ force: 'precondition', reason: plain }),
    await shop.runConstruct({ var: [`a/b=${token}`] }),
    await shop.call('skills.run', { name: 'leak', outputs: [`../${plain}`] }),
    await shop.call('trace.show', { run: token }),
    await shop.call('trace.export', { runs: `*${token}*` }),
    await shop.call('assess.run', { runs: [token] }),
    await shop.call('handoff.check', { from: token, to: plain }),
    await shop.call('docs.check', { file: 'made.md', schema: token }),
  ].map((answer) => JSON.stringify(answer));
  const shown = await shop.cli(['construct', 'run', '--human', '--intent', all[7]!]);
  expect(answers[0]).toContain(fails ? '"exitCode":1' : '"success":true');
  const asked = fails ? '' : readFileSync(join(shop.root, 'asked.txt'), 'utf8');
  const [review] = (await shop.call('review.list')).reviews ?? [];
  if (review) {
    const said = { review: review.id, verdict: 'fail', score: 0, note: all.join('\n').slice(0, 3000) };
    answers.push(JSON.stringify(await shop.call('review.resolve', said, { ...asPerson, agent: 'ada/bob' })));
  }
  const page = readFileSync(join(shop.root, 'page.html'), 'utf8');
  const places = { kept: shop.readStoredText(), answers: answers.join('\n'), terminal: shown.out, judge: asked, page };
  const seen: string[] = [];
  for (const [where, text] of Object.entries(places)) {
    for (const [name, core] of Object.entries(cores))
      for (const form of listForms(core)) if (text.includes(form)) seen.push(`${where}: ${name}: ${form.slice(0, 60)}`);
    for (const value of [values.API_TOKEN, values.OWN_PASSWORD])
      for (const form of listForms(value)) if (text.includes(form)) seen.push(`${where}: ${form}`);
  }
  expect(seen).toEqual([]);
  expect(places.kept).toMatch(/\[REDACTED:[a-z]+:[0-9a-f]{8}\]/);
  if (!fails) expect(asked).toContain('[REDACTED:');
});

/** Returns the secret as it is, in JSON and, if long enough, in base64, each as latin1 text. */
function listForms(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    inJson,
    Buffer.from(secret).toString('latin1'),
    Buffer.from(inJson).toString('latin1'),
    ...(secret.length >= 18 ? [base64] : []),
  ];
}

test('does not redact harmless texts in logs, traces and output', async () => {
  const shop = await openSkillProject();
  shop.writeFile('given.json', JSON.stringify(harmlessTexts));
  shop.writeConstruct(
    'execution: {phases: [only]}\nskills: [{name: say, phase: only, run: [cat, given.json]}]\nassessment: {capture: {include_inputs: full, include_outputs: full}}',
  );
  await shop.runConstruct({ input: { harmless: harmlessTexts } });
  const { run_id: id, data } = shop.readEvents().find(({ event }) => event === 'skill_invoked')!;
  expect(data.input_summary).toEqual({ harmless: harmlessTexts });
  expect(shop.readEvents().find(({ event }) => event === 'execution_complete')!.data.outputs_summary.content).toEqual(harmlessTexts);
  expect(readFileSync(join(shop.root, '.cleo/runs', id, 'only/say/1/stdout.log'), 'utf8')).toBe(JSON.stringify(harmlessTexts));
  expect((await shop.call('skills.run', { name: 'say' })).primary).toEqual(harmlessTexts);
});

test('redacts configured patterns except allowed texts, also for skills outside the construct', async () => {
  const shop = await openSkillProject({ env: { MY_TOKEN: 'known-to-be-harmless' } });
  shop.writeSkill('say', 'echo "see ACME-1234 and $MY_TOKEN"');
  shop.writeSkill('other', 'echo "see ACME-1234"');
  const write = (allow: string[]) =>
    shop.writeConstruct(
      `execution: {phases: [only]}\nskills: [{name: say, phase: only, env: [MY_TOKEN]}]\nassessment: {redaction: {patterns: ['ACME-[0-9]+'], allow: ${JSON.stringify(allow)}}}`,
    );
  write([]);
  const first = (await shop.call('skills.run', { name: 'say', raw: true })).printed;
  const [, print] = /^see \[REDACTED:pattern:[0-9a-f]{8}\] and \[REDACTED:value:([0-9a-f]{8})\]\n$/.exec(first) ?? [];
  write([print!]);
  expect((await shop.call('skills.run', { name: 'say', raw: true })).printed).toMatch(
    /^see \[REDACTED:pattern:\w{8}\] and known-to-be-harmless\n$/,
  );
  expect((await shop.call('skills.run', { name: 'other', raw: true })).printed).toMatch(/^see \[REDACTED:pattern:\w{8}\]\n$/);
});

test('writes nothing that cannot be redacted', async () => {
  const shop = await openSkillProject({ env: { MY_TOKEN: 'not-to-be-seen-at-all' } });
  shop.writeSkill('say', 'echo "$MY_TOKEN"; touch ran');
  shop.writeConstruct('execution: {phases: [only]}\nskills: [{name: say, phase: only, env: [MY_TOKEN]}]');
  // Fingerprints need the salt.
  mkdirSync(join(shop.root, '.cleo/trace-salt'), { recursive: true });
  expect((await shop.runConstruct({ intent: 'use not-to-be-seen-at-all' })).error.exitCode).toBeGreaterThan(0);
  expect(shop.readStoredText()).not.toContain('not-to-be-seen');
  expect((await shop.runConstruct()).error.exitCode).toBeGreaterThan(0);
  expect(shop.readStoredText()).not.toContain('not-to-be-seen');
});
