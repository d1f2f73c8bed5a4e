import { strictObject, string } from 'valibot';
import { job } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { answerTimeoutMs } from '../shared/prove-person.ts';

const minLength = 8;

export const adminProofPassphrase = job({
  name: 'admin.proof.passphrase',
  summary: 'Set the passphrase that proves a person',
  params: strictObject({}),
  result: strictObject({ passphrase: strictObject({ id: string(), path: string() }) }),
  errors: ['E_FORBIDDEN', 'E_VALIDATION'],
  tier: 2,
  needs: 'nothing',
  scope: 'admin',
  cli: { command: 'proof passphrase' },
  example: { call: {}, exit: 64 },
  async run({ platform }) {
    const [terminal, passphrase] = [await platform.loadTerminal(), await platform.loadPassphrase()];
    // A token of scope admin reaches this line over HTTP and MCP, where no person can type.
    if (terminal.name === undefined)
      throw new CleoError('E_FORBIDDEN', {
        problem: 'A passphrase is typed at a terminal',
        fix: askPerson('cleo proof passphrase'),
        scope: 'admin',
      });
    const text = await terminal.ask(`New passphrase (at least ${minLength} characters): `, { isSecret: true, timeoutMs: answerTimeoutMs });
    const fail = (problem: string): never => {
      throw new CleoError('E_VALIDATION', { field: 'passphrase', problem, fix: 'cleo proof passphrase', manual: 'Type it at a terminal' });
    };
    if (!text) return fail('was not typed');
    if ([...text].length < minLength) return fail(`must have at least ${minLength} characters`);
    if ((await terminal.ask('Repeat it: ', { isSecret: true, timeoutMs: answerTimeoutMs })) !== text)
      return fail('was repeated differently');
    await passphrase.set(text);
    return { passphrase: { id: passphrase.getId() ?? '', path: passphrase.path } };
  },
});
