import { expect, test } from 'vitest';
import { checkAddress, withoutPassword } from './address.ts';

const retry = (address: string): string => `cleo init --store ${address}`;

test.each([
  'postgres://ada@db.example:5432/work',
  'postgresql://db.example/work?sslmode=require',
  'postgres://a.example:5432,b.example:5433/work',
  'postgres:///work?host=/var/run/postgresql',
  'postgres://db.example',
])('%s is an address', (address) => {
  expect(() => checkAddress(address, 'store', retry)).not.toThrow();
  expect(withoutPassword(address)).toBe(address);
});

test.each(['mysql://db/work', 'db.example', '', 'postgres:/db', 'https://db.example/'])('%j is none', (address) => {
  expect(() => checkAddress(address, 'store', retry)).toThrow(expect.objectContaining({ code: 'E_VALIDATION_STORE', exitCode: 6 }));
});

test.each([
  ['postgres://ada:secret@db.example/work', 'postgres://ada@db.example/work'],
  ['postgres://ada:se:cr@et@db.example/work', 'postgres://ada@db.example/work'],
  ['postgres://ada@db.example/work?password=secret', 'postgres://ada@db.example/work'],
  [
    'postgres://db.example/work?sslmode=require&password=secret&application_name=x',
    'postgres://db.example/work?sslmode=require&application_name=x',
  ],
])('the password in %s does not get far', (address, clean) => {
  expect(() => checkAddress(address, 'store', retry)).toThrow(
    expect.objectContaining({ exitCode: 6, fix: `cleo init --store ${clean}`, message: expect.not.stringContaining('se:cr') }),
  );
});
