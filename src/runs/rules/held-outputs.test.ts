import { expect, test } from 'vitest';
import type { RunRecord } from '../model/trace.ts';
import { heldOutputs } from './held-outputs.ts';

type Entry = RunRecord['executions'][number];

/** `a f1/b`: skill a left the file f with content 1, perhaps written by b. */
function entry(text: string, status = 'success', run = 'run-1'): Entry {
  const [skill = '', ...outputs] = text.split(' ');
  return {
    ...{ execution_id: `${run}:p:${skill}`, phase: 'p', skill, status, exit_code: 0, skill_sha256: '', inputs_sha256: '' },
    outputs: outputs.map((one) => {
      const [file = '', ...others] = one.split('/');
      return { path: file[0]!, sha256: file.slice(1), ...(others.length > 0 ? { shared_with: others } : {}) };
    }),
    ...{ attempts: 1, duration_ms: 1 },
  };
}

test.each<[string, Entry, Entry[], string[]]>([
  ['what is its own is as it left it', entry('a f1'), [entry('b f2')], ['f1']],
  ['what others may have written is as the last of them left it', entry('a f1/b'), [entry('b f2/a')], ['f2']],
  ['the last one is the last', entry('a f1/b/c'), [entry('b f2/a/c'), entry('c f3/a/b')], ['f3']],
  ['one that others did not leave is as it left it itself', entry('a f1/b'), [entry('b g1')], ['f1']],
  ['what one that failed may have written is that one’s affair', entry('a f1/b g1'), [entry('b f2/a', 'failure')], ['g1']],
  ['as is what one that has not ended may have', entry('a f1/b'), [], []],
  ['those of other runs do not count', entry('a f1/b'), [entry('b f2/a', 'success', 'run-2')], []],
])('%s', (_, one, others, expected) => {
  expect(heldOutputs(one, [one, ...others]).map(({ path, sha256 }) => path + sha256)).toEqual(expected);
});
