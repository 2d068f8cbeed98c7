// Who may use a gateway: checked when a request arrives, and again while a stream lasts.
import { type Alarm, setAlarm } from "../../src/base";
import { notFound, RuntimeError } from "../../src/errors";
import type { GatewayUser } from "../../src/mcp";
import type { Front, Incoming } from "../front";
import { checkOrigin } from "./origin";

/** How soon a stream ends after its token has expired or its signing key was removed, which changes no record. */
const AGAIN_MS = 2000;

/** The user of a request. Throws `forbidden`, `not_found`, `invalid_authorization`, `rate_limited`. */
export async function admitted(front: Front, incoming: Incoming): Promise<GatewayUser> {
  const { runtime } = front;
  const { request, params, address } = incoming;
  checkOrigin(runtime.core, request.headers);
  const gateway = await runtime.gateways.serving(params["slug"] ?? "");
  if (gateway === undefined) throw notFound("There is no gateway at this address.");
  const user = await runtime.mcp.access.admit(gateway, request.headers, address);
  incoming.principal = user.principal;
  takeOrRecord(front, user);
  return user;
}

/** Counts a request of the credential. Throws `rate_limited`, with an audit entry. */
function takeOrRecord({ runtime, rateLimit }: Front, { principal }: GatewayUser): void {
  try {
    rateLimit?.take(principal);
  } catch (error) {
    runtime.mcp.access.refused(principal, error);
    throw error;
  }
}

/**
 * Calls `lost` once when the user token of a stream's request would not be admitted any more, until it is disposed. Keys are
 * records, which `Revocation` watches.
 */
export function whileAdmitted(
  { runtime }: Front,
  { gateway, principal }: GatewayUser,
  { headers }: Request,
  lost: () => void,
): Disposable {
  let isOver = false;
  let alarm: Alarm | undefined;
  const check = async (): Promise<void> => {
    try {
      await runtime.mcp.access.admit(gateway, headers, principal.address);
    } catch (error) {
      // Other errors are about this server or the issuer, not about the credential.
      if (error instanceof RuntimeError && (error.status === 401 || error.status === 403) && !isOver) lost();
    }
    again();
  };
  const again = (): void => {
    if (!isOver) alarm = setAlarm(AGAIN_MS, () => void check());
  };
  if (principal.kind === "user" || (principal.kind === "key" && principal.workload !== undefined)) again();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      alarm?.cancel();
    },
  };
}
