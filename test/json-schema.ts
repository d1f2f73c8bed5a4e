type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

const types: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
};
const annotations = ['$schema', 'title', 'description'];

/** What is wrong with a value by a JSON Schema of the few keywords that ours are made of; one that is not among them is an error, not passed over. */
export function findViolations(schema: Schema, value: unknown, at = '$'): string[] {
  const found: string[] = [];
  const check = (isOk: boolean, what: string): void => {
    if (!isOk) found.push(`${at} ${what}`);
  };
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (annotations.includes(keyword)) continue;
    const fields = types.object!(value) ? (value as Record<string, unknown>) : {};
    if (keyword === 'type') check(types[String(wanted)]!(value), `is no ${wanted}`);
    else if (keyword === 'const') check(value === wanted, `is not ${wanted}`);
    else if (keyword === 'enum') check((wanted as unknown[]).includes(value), 'is none of the choices');
    else if (keyword === 'minimum') check((value as number) >= (wanted as number), `is under ${wanted}`);
    else if (keyword === 'maximum') check((value as number) <= (wanted as number), `is over ${wanted}`);
    else if (keyword === 'minLength') check(String(value).length >= (wanted as number), `is shorter than ${wanted}`);
    else if (keyword === 'maxLength') check(String(value).length <= (wanted as number), `is longer than ${wanted}`);
    else if (keyword === 'minItems') check([value].flat().length >= (wanted as number), `has fewer than ${wanted}`);
    else if (keyword === 'maxItems') check([value].flat().length <= (wanted as number), `has more than ${wanted}`);
    else if (keyword === 'anyOf')
      check(
        schema.anyOf!.some((form) => findViolations(form, value, at).length === 0),
        'has none of the forms',
      );
    else if (keyword === 'pattern') check(new RegExp(String(wanted), 'u').test(String(value)), `does not match ${wanted}`);
    else if (keyword === 'required') for (const name of wanted as string[]) check(name in fields, `lacks ${name}`);
    else if (keyword === 'additionalProperties')
      for (const name of Object.keys(fields)) check(name in schema.properties!, `has a strange ${name}`);
    else if (keyword === 'properties') {
      for (const [name, inner] of Object.entries(schema.properties!))
        if (name in fields) found.push(...findViolations(inner, fields[name], `${at}.${name}`));
    } else if (keyword === 'items')
      for (const [i, item] of [value].flat().entries()) found.push(...findViolations(schema.items!, item, `${at}[${i}]`));
    else throw new Error(`${at} has the keyword ${keyword}, which nothing checks here`);
  }
  return found;
}
