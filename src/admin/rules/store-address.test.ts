import { expect, test } from 'vitest';
import { checkStoreAddress, removePassword } from './store-address.ts';

const retry = (address: string): string => `cleo init --store ${address}`;

test.each([
  'postgres://ada@db.example:5432/work',
  'postgresql://db.example/work?sslmode=require',
  'postgres://a.example:5432,b.example:5433/work',
  'postgres:///work?host=/var/run/postgresql',
  'postgres://db.example',
])('accepts %s', (address) => {
  expect(() => checkStoreAddress(address, 'store', retry)).not.toThrow();
  expect(removePassword(address)).toBe(address);
});

test.each(['mysql://db/work', 'db.example', '', 'postgres:/db', 'https://db.example/'])('rejects %j', (address) => {
  expect(() => checkStoreAddress(address, 'store', retry)).toThrow(expect.objectContaining({ code: 'E_VALIDATION_STORE', exitCode: 6 }));
});

test.each([
  ['postgres://ada:secret@db.example/work', 'postgres://ada@db.example/work'],
  ['postgres://ada:se:cr@et@db.example/work', 'postgres://ada@db.example/work'],
  ['postgres://ada@db.example/work?password=secret', 'postgres://ada@db.example/work'],
  [
    'postgres://db.example/work?sslmode=require&password=secret&application_name=x',
    'postgres://db.example/work?sslmode=require&application_name=x',
  ],
])('rejects the password in %s without repeating it', (address, clean) => {
  expect(() => checkStoreAddress(address, 'store', retry)).toThrow(
    expect.objectContaining({ exitCode: 6, fix: `cleo init --store ${clean}`, message: expect.not.stringContaining('se:cr') }),
  );
});
