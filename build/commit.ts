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
