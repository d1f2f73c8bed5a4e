import { RE2JS } from 're2js';
import { createSkillError } from '../../errors/skill.ts';
import type { RunSetup } from '../../runner/run-context.ts';

/** Compiles the redaction patterns of a manifest with RE2, which matches in linear time. */
export const compilePatterns = (sources: string[]): RunSetup['patterns'] =>
  sources.map((source) => {
    try {
      return createReplacer(RE2JS.compile(source));
    } catch (error) {
      const problem = `assessment.redaction.patterns: ${JSON.stringify(source)} is not a valid pattern: ${(error as Error).message}`;
      throw createSkillError(78, problem, 'cleo construct validate', { pattern: source });
    }
  });

const createReplacer = (pattern: RE2JS): RunSetup['patterns'][number] => ({
  replace(text, by) {
    const matcher = pattern.matcher(text);
    let out = '';
    let at = 0;
    while (matcher.find()) {
      if (matcher.end() === matcher.start()) continue;
      out += text.slice(at, matcher.start()) + by(text.slice(matcher.start(), matcher.end()));
      at = matcher.end();
    }
    return out + text.slice(at);
  },
});
