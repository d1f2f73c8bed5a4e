import { nearest } from '../rules/nearest.ts';

/** The names that were probably meant, and the question that asks for them; both empty where nothing is near. */
export function suggest(name: string, known: string[]): { near: string[]; question: string } {
  const near = nearest(name, known);
  return { near, question: near.length ? `; did you mean ${near.join(' or ')}?` : '' };
}
