// What the program was built from.

export interface Build {
  commit: string;
  /** Of the commit. */
  date: string;
}

// Set by the build.
declare const RUNTIME_BUILD: Build | undefined;

/** Undefined for a program that was started from its sources. */
export const build: Build | undefined = typeof RUNTIME_BUILD === "undefined" ? undefined : RUNTIME_BUILD;
