import type { Completeness, SectionScore } from '../../model/doc-schema.ts';

/** The wanted sections that are absent or empty; `true` stands for all required ones. */
export const listMissingSections = ({ sections }: Completeness, wanted: string[] | true): SectionScore[] =>
  sections.filter(({ id, required, score }) => score === 0 && (wanted === true ? required : wanted.includes(id)));
