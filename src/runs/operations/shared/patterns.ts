import { RE2JS } from 're2js';
import { skillRefusal } from '../../errors/skill.ts';
import type { Surroundings } from '../../runner/run.ts';

/** What the user wants hidden; in linear time, whatever was written. */
export const patternsOf = (sources: string[]): Surroundings['patterns'] =>
  sources.map((source) => {
    try {
      return replacing(RE2JS.compile(source));
    } catch (error) {
      const problem = `assessment.redaction.patterns: ${JSON.stringify(source)} is no pattern: ${(error as Error).message}`;
      throw skillRefusal(78, problem, 'cleo construct validate', { pattern: source });
    }
  });

const replacing = (pattern: RE2JS): Surroundings['patterns'][number] => ({
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
