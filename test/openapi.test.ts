import { expect, test } from 'vitest';
import { getErrorCatalog } from '../src/admin/all-errors.ts';
import { describeParams } from '../src/core/command-line.ts';
import { listResultKeys } from '../src/core/define.ts';
import { registry } from '../src/core/index.generated.ts';
import { createOpenApi, getPath } from '../src/surfaces/http/openapi.ts';
import type { Json } from './app.ts';
import { openServer } from './http-server.ts';

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
const document = (await createOpenApi(registry, '1.2.3')) as Json;

/** Lists every node of the document with its path. */
function* nodes(node: unknown, way = '#'): Generator<[string, Json]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [way, node];
  for (const [key, value] of Object.entries(node)) yield* nodes(value, `${way}/${key}`);
}

const resolveRef = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce((node: Json | undefined, key) => node?.[key], document);

test('is an OpenAPI 3.1 document with one path per operation', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'CLEO', version: '1.2.3' } });
  expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']);
  expect(Object.keys(document.paths).sort()).toEqual(operations.map(getPath).sort());
  for (const item of Object.values<Json>(document.paths)) expect(Object.keys(item)).toEqual(['post']);
  const ids = Object.values<Json>(document.paths).map(({ post }) => post.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+[A-Za-z0-9]*$/.test(id))).toEqual([]);
});

test('every reference resolves inside the document', () => {
  const refs = [...nodes(document)].flatMap(([, node]) => (typeof node.$ref === 'string' ? [node.$ref] : []));
  expect(refs.length).toBeGreaterThan(100);
  expect(
    [...new Set(refs)].filter(
      (ref) => !/^#\/components\/(schemas|parameters|responses)\/[A-Za-z0-9]+$/.test(ref) || resolveRef(ref) === undefined,
    ),
  ).toEqual([]);
});

test('schemas use only JSON Schema keywords and require existing properties', () => {
  const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
  const isSchema = (way: string): boolean => way.startsWith('#/components/schemas/') || way.includes('/schema/') || way.endsWith('/schema');
  const odd = [...nodes(document)].filter(([way, node]) => {
    // The keys of `properties` are names, not keywords.
    if (!isSchema(way) || /\/(properties|\$defs|example|examples|default|enum|const)$/.test(way)) return false;
    const known = node.type === undefined || [node.type].flat().every((type) => types.includes(type as string));
    const has = !Array.isArray(node.required) || node.required.every((name: string) => node.properties?.[name] !== undefined);
    return !known || !has || Object.hasOwn(node, '$defs') || Object.hasOwn(node, '$schema');
  });
  expect(odd.map(([way]) => way)).toEqual([]);
});

test.each(operations.map((operation) => [operation.name, operation] as const))('%s: parameters, results and errors', (_, operation) => {
  const { post } = document.paths[getPath(operation)];
  const { schema, example } = post.requestBody.content['application/json'];
  const shapes = describeParams(operation.params);
  expect(Object.keys(schema.properties ?? {}).toSorted()).toEqual(shapes.map(({ name }) => name).sort());
  expect((schema.required ?? []).toSorted()).toEqual(
    // An id is required only without `taskIds`.
    shapes.flatMap(({ name, isRequired }) => (isRequired && !(name === 'taskId' && 'taskIds' in schema.properties) ? [name] : [])).sort(),
  );
  expect(schema.additionalProperties).toBe(false);
  expect(Object.keys(example)).toEqual(Object.keys(operation.example.call));
  const answer = resolveRef(post.responses[200].content['application/json'].schema.$ref) as Json;
  expect(Object.keys(answer.properties)).toEqual(expect.arrayContaining(['_meta', 'success', ...listResultKeys(operation)]));
  for (const code of operation.errors) expect(Object.keys(post.responses)).toContain(String(getErrorCatalog()[code].http));
});

test('the server serves the document', async () => {
  const { get } = await openServer();
  const { status, headers, body } = await get('/api/openapi.json');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(body.paths).toEqual(JSON.parse(JSON.stringify(document.paths)));
});
