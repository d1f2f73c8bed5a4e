import { CleoError } from '../src/core/errors/error.ts';
import type { Project, ProjectTrust } from '../src/platform/port.ts';

/** Trusts what a test wrote at the moment when it is used, with the function that `cleo trust` calls. The checks themselves run. */
export function trustOnUse(trust: ProjectTrust): ProjectTrust {
  const trustThen = async (project: Project, files: { path: string; sha256: string }[], check: () => Promise<void>): Promise<void> => {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof CleoError) || error.row !== 'E_PROJECT_UNTRUSTED') throw error;
      await trust.trustAll(project, files);
      await check();
    }
  };
  return {
    ...trust,
    requireStore: (project, address) => trustThen(project, [], () => trust.requireStore(project, address)),
    requireTrusted: (project, subject) =>
      trustThen(project, 'files' in subject ? subject.files : [], () => trust.requireTrusted(project, subject)),
    requirePolicy: (project, operation) => trustThen(project, [], () => trust.requirePolicy(project, operation)),
  };
}
