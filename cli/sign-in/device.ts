// Signing in with a browser on another machine (RFC 8628): the terminal shows an address and a code, and asks until the person
// has entered it.
import * as oauth from "oauth4webapi";
import { forbidden, gatewayTimeout } from "../../src/errors";
import { webAddress } from "../browser";
import { isTransient, realWaiting, type Waiting } from "../client/again";
import type { Io } from "../io";
import { printable } from "../printable";
import { CLIENT, codeOf, SCOPE, type SignInServer, signInError, WITHOUT_SECRET } from "./server";

const DEFAULT_INTERVAL_S = 5;
/** What `slow_down` adds (section 3.5). */
const SLOWER_S = 5;
const LONGEST_INTERVAL_S = 60;

export async function signInWithDevice(
  io: Io,
  server: SignInServer,
  resource: string,
  waiting: Waiting = realWaiting,
): Promise<oauth.TokenEndpointResponse> {
  const { address, metadata, options } = server;
  if (metadata.device_authorization_endpoint === undefined)
    throw forbidden(`${address} does not offer --device. Sign in with a browser on this machine.`);
  const begun = await begin(server, resource);
  const page = webAddress(begun.verification_uri);
  if (page === undefined) throw signInError(address, undefined);
  io.note(`Open this address in any browser, on any machine, and enter the code:`);
  io.note(io.notePaint.bold(printable(page)));
  io.note(io.notePaint.bold(printable(begun.user_code)));
  io.note("Enter it only if you have started this sign-in yourself. Waiting (Ctrl-C cancels).");
  const end = waiting.now() + begun.expires_in * 1000;
  let interval = begun.interval ?? DEFAULT_INTERVAL_S;
  while (waiting.now() < end) {
    await waiting.sleep(interval * 1000);
    try {
      const request = { ...options, additionalParameters: { resource } };
      const response = await oauth.deviceCodeGrantRequest(
        metadata,
        CLIENT,
        WITHOUT_SECRET,
        begun.device_code,
        request,
      );
      return await oauth.processDeviceCodeResponse(metadata, CLIENT, response);
    } catch (error) {
      const code = codeOf(error);
      // No answer: the server may be restarting. It is asked less often (section 3.5).
      const isSlower = code === "slow_down" || (code === undefined && isTransient(error));
      if (isSlower) interval = Math.min(interval + SLOWER_S, LONGEST_INTERVAL_S);
      else if (code === "expired_token") break;
      else if (code !== "authorization_pending") throw signInError(address, error);
    }
  }
  throw gatewayTimeout("The code has expired before it was entered. Run the command again.");
}

async function begin(
  { address, metadata, options }: SignInServer,
  resource: string,
): Promise<oauth.DeviceAuthorizationResponse> {
  try {
    const parameters = { scope: SCOPE, resource };
    const response = await oauth.deviceAuthorizationRequest(
      metadata,
      CLIENT,
      WITHOUT_SECRET,
      parameters,
      options,
    );
    return await oauth.processDeviceAuthorizationResponse(metadata, CLIENT, response);
  } catch (error) {
    throw signInError(address, error);
  }
}
