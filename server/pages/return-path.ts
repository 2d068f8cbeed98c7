// Where a browser goes after a sign-in. Only paths on this server: anything else would lead a person who trusts our sign-in to
// a site of somebody else.
import { DEFAULT_ID } from "../../src/identity";

/** A path, without what browsers read as another host: `//host` and `/\host`, also behind tabs and line ends. */
const PATH = /^\/(?![/\\])[!-[\]-~]*$/;

/** `to` if it is a path on this server; otherwise the person's own page. */
export function pathAfterSignIn(to: string | undefined, projectId: string, publicUrl: string): string {
  if (to !== undefined && PATH.test(to)) return to;
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, "");
  return projectId === DEFAULT_ID ? `${prefix}/me` : `${prefix}/me/${encodeURIComponent(projectId)}`;
}
