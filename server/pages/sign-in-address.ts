// The addresses of pages in browsers.
import type { Runtime } from "../../src/runtime";

/** The path of an address in browsers: with the prefix of a proxy, on the host that the browser has asked. */
export function localPath({ core }: Runtime, path: string): string {
  return new URL(core.publicUrl()).pathname.replace(/\/$/, "") + path;
}
