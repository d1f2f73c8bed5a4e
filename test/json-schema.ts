type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

const types: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
};
const annotations = ['$schema', 'title', 'description'];

/** Validates a value against a JSON Schema. Supports only the keywords that our schemas use, and throws for others. */
export function findViolations(schema: Schema, value: unknown, at = '$'): string[] {
  const found: string[] = [];
  const check = (isOk: boolean, what: string): void => {
    if (!isOk) found.push(`${at} ${what}`);
  };
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (annotations.includes(keyword)) continue;
    const fields = types.object!(value) ? (value as Record<string, unknown>) : {};
    if (keyword === 'type') check(types[String(wanted)]!(value), `is not of type ${wanted}`);
    else if (keyword === 'const') check(value === wanted, `is not ${wanted}`);
    else if (keyword === 'enum') check((wanted as unknown[]).includes(value), 'is not one of the choices');
    else if (keyword === 'minimum') check((value as number) >= (wanted as number), `is under ${wanted}`);
    else if (keyword === 'maximum') check((value as number) <= (wanted as number), `is over ${wanted}`);
    else if (keyword === 'minLength') check(String(value).length >= (wanted as number), `is shorter than ${wanted}`);
    else if (keyword === 'maxLength') check(String(value).length <= (wanted as number), `is longer than ${wanted}`);
    else if (keyword === 'minItems') check([value].flat().length >= (wanted as number), `has fewer than ${wanted}`);
    else if (keyword === 'maxItems') check([value].flat().length <= (wanted as number), `has more than ${wanted}`);
    else if (keyword === 'anyOf')
      check(
        schema.anyOf!.some((form) => findViolations(form, value, at).length === 0),
        'matches no alternative',
      );
    else if (keyword === 'pattern') check(new RegExp(String(wanted), 'u').test(String(value)), `does not match ${wanted}`);
    else if (keyword === 'required') for (const name of wanted as string[]) check(name in fields, `is missing ${name}`);
    else if (keyword === 'additionalProperties')
      for (const name of Object.keys(fields)) check(name in schema.properties!, `has an unknown property ${name}`);
    else if (keyword === 'properties') {
      for (const [name, inner] of Object.entries(schema.properties!))
        if (name in fields) found.push(...findViolations(inner, fields[name], `${at}.${name}`));
    } else if (keyword === 'items')
      for (const [i, item] of [value].flat().entries()) found.push(...findViolations(schema.items!, item, `${at}[${i}]`));
    else throw new Error(`${at} has the keyword ${keyword}, which is not supported`);
  }
  return found;
}
