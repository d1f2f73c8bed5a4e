/** A file of its own, so that the YAML parser is loaded only if a schema needs it. */
export { parseYaml } from '#lib/yaml/parse-yaml.ts';
