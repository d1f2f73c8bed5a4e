import { parseJson } from '#lib/parse-json.ts';
import type { HandoffSpec } from '../model/construct.ts';
import type { PhaseHandoff } from '../model/execution.ts';
import { expandVariables } from '../rules/construct/conventions.ts';
import { evaluateHandoff } from '../rules/gate/handoff.ts';
import { getVars } from './artifacts.ts';
import type { RunContext } from './run-context.ts';

/** Evaluates what one phase provides for another now. `hashes` are the artifacts when the sender ended; a changed one is a blocker. */
export function createHandoff(run: RunContext, spec: HandoffSpec, hashes: Map<string, string>): PhaseHandoff {
  const { platform, artifacts, record, request } = run;
  const vars = getVars(run, spec.from);
  const sender = request.construct.phases.find(({ name }) => name === spec.from);
  return evaluateHandoff({
    runId: record.run_id,
    at: platform.now(),
    spec: { ...spec, required: spec.required.map((artifact) => ({ ...artifact, path: expandVariables(artifact.path, vars) })) },
    required: spec.required.map((artifact) => artifacts.find(artifact, vars)),
    optional: spec.optional.map((artifact) => artifacts.find(artifact, vars)),
    outputs: (sender?.outputs ?? []).flatMap((artifact) => artifacts.find(artifact, vars).files),
    before: hashes,
  });
}

/** Evaluates a handoff to the phase that starts, stores it and writes it to the trace. */
export function receiveHandoff(run: RunContext, spec: HandoffSpec): PhaseHandoff {
  const { platform, record, redactor, request } = run;
  const handoff = createHandoff(run, spec, run.artifactHashes);
  const { from_phase, to_phase, accepted, rejection_reason, remediation, artifacts, validation } = handoff;
  if (request.construct.capture.enabled)
    platform.runs.write(record.run_id, getHandoffPath(spec), `${JSON.stringify(redactor.value(handoff))}\n`, 'soon');
  run.emit(
    'handoff_attempted',
    {
      from_phase,
      to_phase,
      accepted,
      rejection_reason,
      remediation,
      artifacts_provided: artifacts.provided.map(({ path, checksum, completeness }) => ({ path, checksum, completeness })),
      validation_result: validation,
    },
    { phase: to_phase },
  );
  return handoff;
}

const getHandoffPath = ({ from, to }: HandoffSpec): string => `handoffs/${from}__${to}.json`;

/** Reads the handoff that an earlier part of a resumed run stored. */
export function readStoredHandoff({ platform, record }: RunContext, spec: HandoffSpec): PhaseHandoff[] {
  const handoff = parseJson(platform.runs.read(record.run_id, getHandoffPath(spec)));
  return handoff === undefined ? [] : [handoff as PhaseHandoff];
}
