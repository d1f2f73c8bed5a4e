import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A check of values by a JSON Schema: what is wrong, in words. */
export function compile(schema: Record<string, unknown>): (value: unknown) => string[] {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'as a whole'} ${message ?? 'does not fit'}`);
}
