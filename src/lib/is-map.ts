export { isPlainObject as isMap } from './is-plain-object.ts';
