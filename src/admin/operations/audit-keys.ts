import { array, boolean, description, nullable, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import '../errors.ts';
import { listSigners } from './shared/prove-log.ts';

export const adminAuditKeys = query({
  name: 'admin.audit.keys',
  summary: 'Show your public key and the keys that may sign the log',
  params: strictObject({}),
  result: strictObject({
    keys: strictObject({
      own: pipe(nullable(string()), description('Public key of this user or server; null before the first audit sign')),
      file: pipe(string(), description('File or environment variable of the private key')),
      trusted: array(strictObject({ name: string(), publicKey: string(), isOwn: boolean() })),
    }),
  }),
  errors: ['E_FILE_ERROR', 'E_VALIDATION'],
  tier: 2,
  needs: 'project',
  cli: { command: 'audit keys' },
  example: { call: {} },
  async run({ platform, config }) {
    const signing = await platform.loadSigning();
    const own = signing.find();
    const trusted = listSigners({ config }, signing).map((signer) => ({ ...signer, isOwn: signer.publicKey === own?.publicKey }));
    return { keys: { own: own?.publicKey ?? null, file: own?.source ?? signing.path, trusted } };
  },
});
