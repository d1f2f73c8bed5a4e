import { array, number, optional, strictObject, string } from 'valibot';

export const Omitted = optional(array(strictObject({ section: string(), count: number(), expand: string() })));
