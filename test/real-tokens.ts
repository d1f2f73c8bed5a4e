import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text with two public tokenizers and returns the higher number. */
export const countRealTokens = (text: string): number => Math.max(countCl100k(text), countO200k(text));
