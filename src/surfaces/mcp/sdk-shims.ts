// The build replaces the runtime shims of the SDK with this file. They would load a JSON Schema compiler for elicitation, which
// CLEO does not use and which takes half as long as starting Node.
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('elicitation is not supported');
  }
}
