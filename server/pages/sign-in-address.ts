// Where browsers sign in to a project.
import type { SignInMethod } from "../../src/people";
import type { Runtime } from "../../src/runtime";

/** How people sign in to a project. */
export async function signInMethod({ core }: Runtime, _projectId: string): Promise<SignInMethod> {
  const { settings } = core;
  const hasClient = settings["auth.url"] !== undefined && settings["auth.client_id"] !== undefined;
  return settings.sign_in ?? (hasClient ? "oidc" : "none");
}

/** The path of an address in browsers: with the prefix of a proxy, on the host that the browser has asked. */
export function localPath({ core }: Runtime, path: string): string {
  return new URL(core.publicUrl()).pathname.replace(/\/$/, "") + path;
}

/** The path at which a browser signs in to a project. It is then sent to `to`, a path on this server. */
export function signInPath(runtime: Runtime, projectId: string, to: string): string {
  return localPath(runtime, `/sign-in?${new URLSearchParams({ project: projectId, to })}`);
}
