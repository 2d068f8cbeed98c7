// Signing in with a browser on this machine: authorization code with PKCE (RFC 7636), answered at a port of this machine
// (RFC 8252, section 7.3).
import * as oauth from "oauth4webapi";
import { gatewayTimeout } from "../../src/errors";
import type { Io } from "../io";
import { printable } from "../printable";
import { CLIENT, SCOPE, type SignInServer, signInError, WITHOUT_SECRET } from "./server";

const LONGEST_MS = 10 * 60_000;
const PATH = "/callback";

export async function signInWithBrowser(
  io: Io,
  { address, metadata, options }: SignInServer,
  resource: string,
): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  // A code that another server has issued must not be sent to this one (RFC 9207): the issuer is always demanded.
  const server = { ...metadata, authorization_response_iss_parameter_supported: true };
  using listener = listen(state);
  const url = new URL(metadata.authorization_endpoint ?? "");
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const parameters = {
    client_id: CLIENT.client_id,
    response_type: "code",
    redirect_uri: listener.address,
    scope: SCOPE,
    resource,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  io.note(`Sign in at ${printable(address)}:`);
  io.note(io.notePaint.bold(printable(url.href)));
  io.note(
    io.openBrowser(url.href)
      ? "Opened in the browser. Waiting (Ctrl-C cancels)."
      : "No browser was found. Open the address in a browser on this machine, or use --device with one elsewhere. Waiting (Ctrl-C cancels).",
  );
  const answer = await listener.answer;
  try {
    const code = oauth.validateAuthResponse(server, CLIENT, answer, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      CLIENT,
      WITHOUT_SECRET,
      code,
      listener.address,
      verifier,
      { ...options, additionalParameters: { resource } },
    );
    return await oauth.processAuthorizationCodeResponse(server, CLIENT, response);
  } catch (error) {
    throw signInError(address, error);
  }
}

interface Listener extends Disposable {
  address: string;
  /** The parameters of the redirect. Rejects with `gateway_timeout`. */
  answer: Promise<URLSearchParams>;
}

// Any page can send a browser here, so what has another state changes nothing.
function listen(state: string): Listener {
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method !== "GET" || pathname !== PATH) return page(404, "There is nothing here.");
      if (searchParams.get("state") !== state) return page(400, "This is not the answer to the sign-in.");
      resolve(searchParams);
      return searchParams.has("error")
        ? page(200, "The sign-in was refused. The terminal says why; you can close this page.")
        : page(200, "Go back to the terminal. You can close this page.");
    },
  });
  const timer = setTimeout(() => {
    reject(gatewayTimeout("There was no sign-in within ten minutes. Run the command again."));
  }, LONGEST_MS);
  return {
    address: `http://127.0.0.1:${server.port}${PATH}`,
    answer: promise,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      // The page is still on its way.
      void server.stop();
    },
  };
}

function page(status: number, text: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>runtime</title><p>${text}</p></html>\n`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    },
  });
}
