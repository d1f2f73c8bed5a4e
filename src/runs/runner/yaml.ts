/** A file of its own, so that only who has YAML to read loads what reads it. */
export { parse as parseYaml } from 'yaml';
