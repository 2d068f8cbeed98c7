// The addresses of pages for people.
import type { Runtime } from "../../src/runtime";

/** The path of an address in browsers: with the prefix of a proxy, on the host that the browser has asked. */
export function localPath({ core }: Runtime, path: string): string {
  return new URL(core.publicUrl()).pathname.replace(/\/$/, "") + path;
}

/** The path at which a browser signs in to a project. It is then sent to `to`, a path on this server. */
export function signInPath(runtime: Runtime, projectId: string, to: string): string {
  return localPath(runtime, `/sign-in?${new URLSearchParams({ project: projectId, to })}`);
}
