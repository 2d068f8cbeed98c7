// Which program this is.
import { version } from "../package.json";
import { build } from "./build";

export interface Version {
  version: string;
  /** Absent for a program that was started from its sources. */
  commit?: string;
  /** The date of the commit: two builds of it are equal. */
  build_date?: string;
}

export const VERSION: Version =
  build === undefined ? { version } : { version, commit: build.commit, build_date: build.date };
