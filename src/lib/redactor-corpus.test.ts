import { expect, test } from 'vitest';
import { harmlessShapes } from '../../test/harmless-shapes.ts';
import { harmlessTexts } from '../../test/harmless-texts.ts';
import { type CorpusShape, corpus } from '../../test/secret-corpus.ts';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor({ secrets: [], patterns: [], allow: [], mac: () => '0'.repeat(8) });

/** Redacts a text that arrives in two writes, cut inside the secret. */
function redactHalves({ text, core }: CorpusShape): string {
  const cut = text.indexOf(core) + Math.floor(core.length / 2);
  const stream = redactor.stream();
  return [text.slice(0, cut), text.slice(cut)].map((part) => stream.push(Buffer.from(part))).join('') + stream.end();
}

function listVisible(shapes: CorpusShape[], isVisible: (shape: CorpusShape) => boolean): string[] {
  return shapes.filter(isVisible).map(({ name }) => name);
}

const minShare = 0.97;

test('hides at least 97 % of the shapes of secrets: whole, in two writes, in a sentence and in base64', () => {
  expect(new Set(corpus.map(({ text }) => text)).size).toBeGreaterThanOrEqual(250);
  const encodable = corpus.filter(({ text }) => text.length >= 18);
  const visible = {
    whole: listVisible(corpus, ({ text, core }) => redactor.text(text).includes(core)),
    'in two writes': listVisible(corpus, (shape) => redactHalves(shape).includes(shape.core)),
    'in a log': listVisible(corpus, ({ text, core }) => redactor.text(`12:00:01 debug\n${text}\n12:00:02 done`).includes(core)),
    'in JSON': listVisible(corpus, ({ text, core }) => JSON.stringify(redactor.value({ output: `got\n${text}` })).includes(core)),
    'in base64': listVisible(encodable, ({ text }) => {
      const code = Buffer.from(text).toString('base64');
      return redactor.text(`data: ${code}`).includes(code.replace(/=+$/, ''));
    }),
  };
  for (const [form, names] of Object.entries(visible)) {
    const total = form === 'in base64' ? encodable.length : corpus.length;
    console.info(
      `redaction ${form}: ${total - names.length} of ${total} hidden${names.length > 0 ? `; visible: ${names.join(', ')}` : ''}`,
    );
    expect(1 - names.length / total, `${form}: ${names.join(', ')}`).toBeGreaterThanOrEqual(minShare);
  }
});

test('hides at most 1 % of harmless texts', () => {
  const harmless = [...new Set([...harmlessTexts, ...harmlessShapes])];
  expect(harmless.length).toBeGreaterThanOrEqual(300);
  const hidden = harmless.filter((text) => redactor.text(text) !== text);
  console.info(`redaction: ${hidden.length} of ${harmless.length} harmless texts hidden`);
  expect(hidden.length / harmless.length, hidden.join('\n')).toBeLessThanOrEqual(0.01);
});

test.each([
  ['DECLARED', 'plain-value-of-any-name', true],
  ['OTHER_API_KEY', 'value-of-a-secret-name', true],
  ['SSH_AUTH_SOCK', '/tmp/ssh-agent/agent.12', false],
  ['PWD', '/home/ada/work', false],
  ['NODE_ENV', 'production', false],
])('lists the value of %s as a secret', async (name, value, isListed) => {
  const { listSecretValues } = await import('./redactor.ts');
  expect(listSecretValues({ [name]: value }, { variables: ['DECLARED', 'NODE_ENV'] })).toEqual(isListed ? [value] : []);
});
