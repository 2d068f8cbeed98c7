// Checks of programs beyond their schema. Errors never repeat a value.
import { invalidParameter } from "../../errors";
import type { WorkerConfig } from "../config";
import type { GivenSecrets } from "../secrets";
import { namesIn } from "./templates";

/** Variables whose values are secrets. `MAX_TOKENS` is none. */
const SECRET_VARIABLE =
  /(?:^|_)(?:token|secret|passw(?:or)?d|passphrase|credentials?|(?:api|access|private|secret)_?key)$/i;

/** Throws `invalid_parameter` for what would expose a secret, lack one, or mix up users. */
export function checkStdio({ stdio, headers, oauth2 }: WorkerConfig, { secrets = {} }: GivenSecrets): void {
  if (stdio === undefined) return;
  if (headers !== undefined || oauth2 !== undefined)
    throw invalidParameter("mcp.headers and mcp.oauth2 have no effect on a program. Use its environment.");
  if (stdio.command.includes("/") && !stdio.command.startsWith("/"))
    throw invalidParameter("mcp.stdio.command must be a name in PATH or an absolute path.");
  for (const text of stdio.arguments) {
    // Some programs take a secret as an argument only.
    const { secrets: named, namesUser } = namesIn(text);
    if (namesUser)
      throw invalidParameter(
        "mcp.stdio.arguments can be read by other users of this machine: of placeholders, they take ${home} and ${secret:NAME} only. Use the environment.",
      );
    requireSecrets("mcp.stdio.arguments", named, secrets);
  }
  for (const path of [...stdio.read, ...stdio.write]) {
    if (path.split("/").includes(".."))
      throw invalidParameter("mcp.stdio.read and write take absolute paths without `..`.");
  }
  for (const [name, text] of Object.entries(stdio.environment))
    checkVariable(name, text, stdio.shared, secrets);
}

function checkVariable(
  name: string,
  text: string,
  isShared: boolean,
  secrets: NonNullable<GivenSecrets["secrets"]>,
): void {
  const field = `mcp.stdio.environment.${name}`;
  const { secrets: named, namesUser } = namesIn(text);
  if (SECRET_VARIABLE.test(name) && named.length === 0 && !namesUser && text !== "")
    throw invalidParameter(
      `${field} would store a secret in clear. Put the value into mcp.secrets and refer to it: "\${secret:NAME}".`,
    );
  requireSecrets(field, named, secrets);
  if (isShared && namesUser)
    throw invalidParameter(
      `${field} differs from user to user, but all users would share the process. Set shared to false.`,
    );
  if (Object.values(secrets).some((value) => value.includes("\0")))
    throw invalidParameter("mcp.secrets must not contain the NUL character.");
}

function requireSecrets(
  field: string,
  named: readonly string[],
  secrets: NonNullable<GivenSecrets["secrets"]>,
): void {
  if (named.every((secret) => Object.hasOwn(secrets, secret))) return;
  throw invalidParameter(`${field} refers to a secret that is not in mcp.secrets. Add it there.`);
}
