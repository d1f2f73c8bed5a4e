import { registry } from '../src/core/index.generated.ts';
import type { View } from '../src/core/terminal/index.ts';
import type { Envelope } from '../src/dispatch/dispatch.ts';
import { renderAnswer } from '../src/surfaces/cli/render-answer.ts';

export const meta = { command: 'demo.show', timestamp: '2026-01-01T00:00:00.000Z', version: '1' };

/** Renders results with the forms of `view`; the clock is at midnight. */
export const renderWith =
  (view: View = { forms: {} }) =>
  (result: Record<string, unknown>, more: object = {}, columns = 80, hasColour = false): Promise<string> => {
    const envelope: Envelope = { _meta: { ...meta, resultsField: Object.keys(result)[0]!, ...more }, success: true, ...result };
    return renderAnswer(envelope, { columns, hasColour, registry, view: async () => view });
  };

/** Renders an error with the details that `view` draws. */
export const renderErrorWith =
  (view: View = { forms: {} }) =>
  (error: Record<string, unknown>, columns = 80, hasColour = false): Promise<string> =>
    renderAnswer({ _meta: meta, success: false, error }, { columns, hasColour, registry, view: async () => view });
