// Whom a command acts for.
import type { Config } from "../src/config";
import { UsageError } from "./errors";

/** `--user`, else the configured user. Throws `usage`. */
export function userOf({ config }: { config: Config }, flag: string | undefined): string {
  const user = flag ?? config.settings.user;
  if (user !== undefined) return user;
  throw new UsageError(
    "Name the user: --user USER. A default is set with RUNTIME_USER, or once with `runtime init`.",
  );
}
