// Which user check counts in which project, and whether people can sign in there: for the log of a server and for `doctor`.
import { userCheckOf } from "./authorization";
import type { Core } from "./core";
import { RuntimeError } from "./errors";
import type { SignInMethod } from "./identity";
import { methodOfDeployment, signInFault, signInNote } from "./people";
import type { Runtime } from "./runtime";
import { query } from "./store";

/** More projects than this are not named. */
const MOST_NAMED = 20;
const OWN_WAYS = query<{ id: string }>(
  "SELECT id FROM projects WHERE sign_in IS NOT NULL OR id IN " +
    "(SELECT project_id FROM session_settings WHERE verifier_url IS NOT NULL OR unsafe_skip = 1) ORDER BY created_at, id LIMIT ?",
);

export interface ProjectChecks {
  project: string;
  method: SignInMethod;
  /** In words. */
  check: string;
  /** Why people cannot sign in. */
  fault: string | undefined;
}

/** Of the deployment. Throws nothing. */
export function signInOfDeployment({ settings, publicUrl }: Core) {
  const method = methodOfDeployment(settings);
  return {
    method,
    fault: signInFault(method, settings, publicUrl()),
    note: signInNote(method, publicUrl()),
  };
}

/** The projects that differ from the deployment. */
export async function projectsWithOwnWays(runtime: Runtime): Promise<ProjectChecks[]> {
  const rows = await runtime.core.store.all(OWN_WAYS, MOST_NAMED);
  return Promise.all(rows.map(({ id }) => checksOf(runtime, id)));
}

export async function checksOf({ core, people, settings }: Runtime, project: string): Promise<ProjectChecks> {
  const method = await people.methodOf(project);
  const check = checkInWords(core, await settings.of(project), method);
  return { project, method, check, fault: signInFault(method, core.settings, core.publicUrl()) };
}

function checkInWords(
  core: Core,
  session: Awaited<ReturnType<Runtime["settings"]["of"]>>,
  method: SignInMethod,
): string {
  try {
    const { kind } = userCheckOf(core, session, method);
    if (kind === "none") return "none: unsafe_skip_verification is set";
    if (kind === "verifier") return "the verifier of the project";
    if (kind === "sign_in") return `the person who is signed in (${method})`;
    return "the built-in page, which asks and proves nothing";
  } catch (error) {
    if (error instanceof RuntimeError) return "none is configured, so consents are refused";
    throw error;
  }
}
