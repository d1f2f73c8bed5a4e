import { toListForm, type View } from '#core/terminal/index.ts';
import { drawConstruct, drawDocumentCheck, drawHandoffCheck, drawValidation } from './view/construct.ts';
import { drawSkillError } from './view/error.ts';
import { drawReview, drawReviews } from './view/review.ts';
import { drawRun } from './view/run.ts';
import { drawOutputs, drawRuns, drawTrace, drawTraceLines, drawTraces } from './view/trace.ts';

export const runView: View = {
  forms: {
    run: drawRun,
    construct: drawConstruct,
    document: drawDocumentCheck,
    runs: toListForm(drawRuns),
    trace: drawTrace,
    lines: toListForm(drawTraceLines),
    traces: toListForm(drawTraces),
    outputs: toListForm(drawOutputs),
    stopped: (run, screen) => drawRuns([run], screen),
    reviews: toListForm(drawReviews),
    review: drawReview,
  },
  error: drawSkillError,
};

/** The view of the operations that check a manifest or a handoff. */
export const checkView: View = {
  forms: {
    validation: drawValidation,
    handoff: drawHandoffCheck,
  },
  printsWarnings: true,
  error: drawSkillError,
};
