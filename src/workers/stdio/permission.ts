// Who may set programs: such a caller can run anything as the user of this server.
import { isObject } from "../../base";
import { forbidden } from "../../errors";
import type { Principal } from "../../identity";

export const PROGRAM_REFUSED =
  "A program (mcp.stdio) is never taken from the API. Set it on the server's own machine, with runtime workers and " +
  "runtime apply on the data folder, or in runtime.yaml.";
const VALUES =
  "The secrets of a program are part of its environment, which is never taken from the API. Set them on the server's own " +
  "machine, with runtime workers update on the data folder.";

/** Whether the principal may set programs: the operator of the data folder only. */
export function maySetPrograms({ kind }: Principal): boolean {
  return kind === "operator";
}

/** Throws `forbidden` if the request names a program or its values, and the principal is not at the terminal of the data folder. */
export function checkProgramSetter(
  principal: Principal,
  mcp: object | undefined,
  { isProgram }: { isProgram: boolean },
): void {
  if (maySetPrograms(principal) || mcp === undefined) return;
  if ("stdio" in mcp && mcp.stdio !== undefined) throw forbidden(PROGRAM_REFUSED);
  if (isProgram && "secrets" in mcp && mcp.secrets !== undefined) throw forbidden(VALUES);
}

/** The same for the body of a request, before its fields are checked: the address that it lacks is not what is wrong. */
export function refuseProgramInBody(body: unknown): void {
  const mcp = isObject(body) ? body["mcp"] : undefined;
  if (isObject(mcp) && Object.hasOwn(mcp, "stdio")) throw forbidden(PROGRAM_REFUSED);
}
