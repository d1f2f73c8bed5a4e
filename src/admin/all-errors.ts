import './errors.ts';
import '#memory/errors.ts';
import '#nexus/errors.ts';
import '#orchestration/errors.ts';
import '#planning/errors.ts';
import '#research/errors.ts';
import '#verification/errors.ts';
import '#sessions/errors.ts';
import '#store/errors.ts';
import '#tasks/errors.ts';
import '#transfer/errors.ts';
import '#runs/errors/review.ts';
import '#runs/errors/skill.ts';
import '#work/errors.ts';

/** The error catalog with the rows of all domains, for code that lists errors. */
export { getErrorCatalog } from '#core/errors/catalog.ts';
