import './memory.ts';
import './nexus.ts';
import './orchestration.ts';
import './session.ts';
import './review.ts';
import './skill.ts';

/** With every refusal there is, for whoever lists them. */
export { catalogue } from './catalogue.ts';
