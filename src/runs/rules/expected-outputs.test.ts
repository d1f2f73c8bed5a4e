import { expect, test } from 'vitest';
import type { RunRecord } from '../model/trace.ts';
import { listExpectedOutputs } from './expected-outputs.ts';

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
  ['an own file is as the skill left it', entry('a f1'), [entry('b f2')], ['f1']],
  ['a shared file is as the last skill left it', entry('a f1/b'), [entry('b f2/a')], ['f2']],
  ['the last of three skills wins', entry('a f1/b/c'), [entry('b f2/a/c'), entry('c f3/a/b')], ['f3']],
  ['a shared file that the other skill did not record is as the skill left it', entry('a f1/b'), [entry('b g1')], ['f1']],
  ['a file shared with a failed skill is not checked', entry('a f1/b g1'), [entry('b f2/a', 'failure')], ['g1']],
  ['a file shared with an unfinished skill is not checked', entry('a f1/b'), [], []],
  ['skills of other runs do not count', entry('a f1/b'), [entry('b f2/a', 'success', 'run-2')], []],
])('%s', (_, one, others, expected) => {
  expect(listExpectedOutputs(one, [one, ...others]).map(({ path, sha256 }) => path + sha256)).toEqual(expected);
});
