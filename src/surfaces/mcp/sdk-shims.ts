// What the SDK asks of the runtime. It would also load a JSON Schema compiler, for answers of users that we never ask for;
// the build puts this in its place, which is half a Node start.
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('no elicitation is served');
  }
}
