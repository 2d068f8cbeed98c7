// Which program this is: its version, and the commit that it was built from.
import { version } from "../package.json";

// Set by the build.
declare const RUNTIME_BUILD: { commit: string; date: string } | undefined;

export interface Version {
  version: string;
  /** Absent for a program that was started from its sources. */
  commit?: string;
  /** The date of the commit: two builds of it are equal. */
  build_date?: string;
}

export const VERSION: Version =
  typeof RUNTIME_BUILD === "undefined"
    ? { version }
    : { version, commit: RUNTIME_BUILD.commit, build_date: RUNTIME_BUILD.date };
