// The commit that is built: its name and date are in the executable, and its date is that of all files of a release.

export interface Commit {
  commit: string;
  /** ISO 8601 */
  date: string;
}

/** Undefined outside of a git checkout. The name has a fixed length: git's own choice depends on the clone. */
export function commitOf(folder: string): Commit | undefined {
  const log = Bun.spawnSync(["git", "log", "-1", "--abbrev=12", "--format=%h %cI"], {
    cwd: folder,
    stderr: "ignore",
  });
  const [commit = "", date = ""] = log.success ? log.stdout.toString().trim().split(" ") : [];
  return commit === "" ? undefined : { commit, date };
}

/** Whether files differ from the commit, so that a build is not one of it. */
export function hasUncommittedChanges(folder: string): boolean {
  const status = Bun.spawnSync(["git", "status", "--porcelain"], { cwd: folder, stderr: "ignore" });
  return status.success && status.stdout.length > 0;
}

/**
 * The date of the files of a release: `SOURCE_DATE_EPOCH` (reproducible-builds.org), otherwise that of the commit.
 *
 * @throws Error if there is neither.
 */
export function dateOfRelease(
  folder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Date {
  const epoch = environment["SOURCE_DATE_EPOCH"];
  if (epoch !== undefined) {
    if (!/^\d{1,11}$/.test(epoch))
      throw new Error("SOURCE_DATE_EPOCH is not a number of seconds since 1970-01-01.");
    return new Date(Number(epoch) * 1000);
  }
  const commit = commitOf(folder);
  if (commit === undefined)
    throw new Error("This is not a git checkout: set SOURCE_DATE_EPOCH to the date of the release.");
  return new Date(commit.date);
}
