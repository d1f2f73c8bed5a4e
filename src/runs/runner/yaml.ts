/** A file of its own, so that the YAML parser is loaded only if a schema needs it. */
export { parse as parseYaml } from 'yaml';
