import type { Completeness, SectionScore } from '../../model/doc-schema.ts';

/** The sections that are asked for and are not there at all, or hold nothing. */
export const missingSections = ({ sections }: Completeness, wanted: string[] | true): SectionScore[] =>
  sections.filter(({ id, required, score }) => score === 0 && (wanted === true ? required : wanted.includes(id)));
