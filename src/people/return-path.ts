// The sign-in of a browser, and where it goes afterwards: paths of this server, below `public_url`.
const LONGEST = 1000;
/** Printable ASCII without the backslash, which browsers read as a slash. */
const PATH = /^\/[\x21-\x5B\x5D-\x7E]*$/;

/** Where a browser signs in to a project. It is then sent to `to`. `again`: although somebody is signed in, or as somebody else. */
export function signInPath(projectId: string, to: string, again = false): string {
  return `/sign-in?${new URLSearchParams({ project: projectId, to, ...(again ? { again: "1" } : {}) })}`;
}

/** The page of the person, unless `given` is a path of this server. It never leads to another one. */
export function returnPath(given: string | null, projectId: string): string {
  return given !== null && isPath(given) ? given : ownPage(projectId);
}

function isPath(given: string): boolean {
  return given.length <= LONGEST && PATH.test(given) && !given.startsWith("//");
}

function ownPage(projectId: string): string {
  return projectId === "default" ? "/me" : `/me/${encodeURIComponent(projectId)}`;
}
