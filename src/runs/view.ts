import { type Fields, toRecords } from '#core/terminal/cell.ts';
import type { View } from '#core/terminal/view.ts';
import { drawConstruct, drawDocumentCheck, drawHandoffCheck, drawValidation } from './view/construct.ts';
import { drawSkillError } from './view/error.ts';
import { drawReview, drawReviews } from './view/review.ts';
import { drawRun } from './view/run.ts';
import { drawRuns, drawTrace, drawTraceLines, drawTraces } from './view/trace.ts';

export const runView: View = {
  forms: {
    run: (value, screen) => drawRun(value as Fields, screen),
    construct: (value, screen) => drawConstruct(value as Fields, screen),
    document: (value, screen) => drawDocumentCheck(value as Fields, screen),
    runs: (value, screen) => drawRuns(toRecords(value), screen),
    trace: (value, screen) => drawTrace(value as Fields, screen),
    lines: (value, screen) => drawTraceLines(toRecords(value), screen),
    traces: (value, screen) => drawTraces(toRecords(value), screen),
    reviews: (value, screen) => drawReviews(toRecords(value), screen),
    review: (value, screen) => drawReview(value as Fields, screen),
  },
  error: drawSkillError,
};

/** The view of the operations that check a manifest or a handoff. */
export const checkView: View = {
  forms: {
    validation: (value, screen) => drawValidation(value as Fields, screen),
    handoff: (value, screen) => drawHandoffCheck(value as Fields, screen),
  },
  printsWarnings: true,
  error: drawSkillError,
};
