import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** What a text costs in the dearer of two public tokenizers. */
export const countRealTokens = (text: string): number => Math.max(countCl100k(text), countO200k(text));
