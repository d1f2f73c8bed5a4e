import { expect, test } from 'vitest';
import { findService } from './postgres-defaults.ts';

const text = `# services
[other]
host=other.example.org

[team]
host = db.example.org
port=6432
dbname=cleo
user=ada
password=a=b
sslmode=verify-ca
gssencmode=disable
# port=1
not a setting
[team]
host=second.example.org
`;

test.each([
  ['other', { PGHOST: 'other.example.org' }],
  [
    'team',
    {
      PGHOST: 'db.example.org',
      PGPORT: '6432',
      PGDATABASE: 'cleo',
      PGUSER: 'ada',
      PGPASSWORD: 'a=b',
      PGSSLMODE: 'verify-ca',
    },
  ],
  ['missing', undefined],
  ['', undefined],
])('finds the service %s', (name, expected) => {
  expect(findService(text, name)).toEqual(expected);
});
