import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Compiles a JSON Schema into a function that returns the violations of a value. */
export function compileSchema(schema: Record<string, unknown>): (value: unknown) => string[] {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'as a whole'} ${message ?? 'does not match'}`);
}
