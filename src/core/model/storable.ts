import { check } from 'valibot';

/** Checks that both databases store a text byte for byte: no NUL and no lone surrogate. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export const storable = check(isStorable, 'must not contain NUL or lone surrogates');
