import { description, metadata, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { FilePath } from '#core/model/texts.ts';
import { mergePlanFiles } from '../../rules/plan/merge-files.ts';

const Path = (meaning: string) => pipe(FilePath, description(meaning), metadata({ value: 'FILE' }));

export const syncMerge = job({
  name: 'sync.merge',
  summary: 'Merge three versions of a plan file, as a git driver',
  params: strictObject({
    merge: Path('The common ancestor: %O'),
    ours: Path('The current version: %A. The result is written to it'),
    theirs: Path('The other version: %B'),
  }),
  result: strictObject({ file: string() }),
  errors: ['E_FILE_ERROR', 'E_NOT_FOUND'],
  tier: 2,
  needs: 'nothing',
  usesHost: true,
  cli: { command: 'sync', select: 'merge', args: ['ours', 'theirs'] },
  example: { call: { merge: 'base.json', ours: 'ours.json', theirs: 'theirs.json' }, exit: 4 },
  async run({ platform }, { merge, ours, theirs }) {
    const { files, folder } = platform;
    const [base = '', own = '', other = ''] = [merge, ours, theirs].map((path) => {
      const text = files.readText(files.resolveInside(folder, path, 'cleo help sync'));
      if (text === undefined) throw new CleoError('E_NOT_FOUND', { what: 'file', id: path, fix: 'cleo help sync' });
      return text;
    });
    const merged = mergePlanFiles(base, own, other);
    // Git then merges the lines, which leaves the conflict markers that people know.
    if ('problem' in merged)
      throw new CleoError('E_FILE_ERROR', {
        path: merged.side === 'ours' ? ours : theirs,
        problem: `line ${merged.problem.line}: ${merged.problem.message}`,
        fix: 'cleo help sync',
      });
    files.writeAtomic(files.resolveInside(folder, ours, 'cleo help sync'), merged.text);
    // The repository may be a clone without a store, in the middle of a merge.
    return answer({ file: ours }, { isUnlogged: true });
  },
});
