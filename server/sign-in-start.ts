// What a server checks about the sign-in of people when it starts, and what it says about it.
import { configurationError } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { checksOf, projectsWithOwnWays, signInOfDeployment } from "../src/user-checks";

/** Throws `configuration` if people cannot sign in as the settings say. */
export function requireSignIn({ core }: Runtime): void {
  const { fault, note } = signInOfDeployment(core);
  if (fault !== undefined) throw configurationError(fault);
  if (note !== undefined) core.log.warn(note);
}

/** After the start, so that it does not wait. Projects may have ways of their own, which do not keep others from being served. */
export async function tellChecks(runtime: Runtime): Promise<void> {
  const { core } = runtime;
  try {
    const { check, method } = await checksOf(runtime, core.settings.project);
    core.log.info("user check of consents", { project: core.settings.project, sign_in: method, check });
    for (const other of await projectsWithOwnWays(runtime)) {
      const { project, method: own, check: ownCheck, fault } = other;
      if (fault !== undefined) core.log.warn("people cannot sign in", { project, fault });
      if (project === core.settings.project) continue;
      core.log.info("user check of consents", { project, sign_in: own, check: ownCheck });
    }
  } catch (error) {
    core.log.warn("the user check of consents could not be read", { error });
  }
}
