// Who may use a gateway: checked when a request arrives, and again while a stream lasts.
import { type Alarm, setAlarm } from "../../src/base";
import { notFound, RuntimeError } from "../../src/errors";
import type { GatewayUser } from "../../src/mcp";
import type { Front, Incoming } from "../front";
import { checkOrigin } from "./origin";

/** How soon a stream ends whose request would be refused now. */
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
 * Calls `lost` once when the request of a stream would not be admitted any more, or would act for another user, until it is
 * disposed. The gateway, the credential, the groups and the suspension of the user are compared as they are now.
 */
export function whileAdmitted(
  { runtime }: Front,
  { gateway, principal, userId }: GatewayUser,
  { headers }: Request,
  lost: () => void,
): Disposable {
  let isOver = false;
  let alarm: Alarm | undefined;
  const isAdmitted = async (): Promise<boolean> => {
    try {
      const now = await runtime.gateways.serving(gateway.slug);
      if (now?.id !== gateway.id) return false;
      return (await runtime.mcp.access.admit(now, headers, principal.address)).userId === userId;
    } catch (error) {
      // Other errors are about this server or the issuer, not about the credential.
      return !(error instanceof RuntimeError && (error.status === 401 || error.status === 403));
    }
  };
  const check = async (): Promise<void> => {
    const goesOn = await isAdmitted();
    if (isOver) return;
    if (goesOn) again();
    else lost();
  };
  const again = (): void => {
    alarm = setAlarm(AGAIN_MS, () => void check());
  };
  again();
  return {
    [Symbol.dispose]: () => {
      isOver = true;
      alarm?.cancel();
    },
  };
}
