// Guides a user through a consent: address, browser, waiting. For scripts the error contains the address.
import type { Authorization } from "../src/authorization";
import { consentRequired } from "../src/errors";
import { consentEnd } from "./client/authorization";
import { type Client, isServed } from "./client/client";
import { ConsentRequired } from "./errors";
import type { Io } from "./io";
import { printable } from "./printable";

/**
 * Resolves when the user has consented. Throws `ConsentRequired` without a terminal, and `tool_requirements_not_met` if
 * the consent failed.
 */
export async function obtainConsent(
  io: Io,
  client: Client,
  authorization: Authorization,
  { browser, what }: { browser: boolean; what: string },
): Promise<void> {
  if (authorization.status === "completed") return;
  const canWait = io.interactive && authorization.url !== undefined;
  const served = await isServed(client, { wait: !canWait });
  if (!canWait) throw consentNeeded(authorization, what, served);
  if (served || client.kind === "remote") return waitForConsent(io, client, authorization, browser);
  const { listenForConsent } = await import("./serve");
  const listener = await listenForConsent(client.session.runtime);
  io.note(`No server is running. Listening on ${listener.address} until this consent has ended.`);
  try {
    await waitForConsent(io, client, authorization, browser);
  } finally {
    await listener.stop();
  }
}

async function waitForConsent(
  io: Io,
  client: Client,
  { id, user_id, provider_id = "", scopes, url = "" }: Authorization,
  browser: boolean,
): Promise<void> {
  const wanted = scopes.length === 0 ? "" : `: ${printable(scopes.join(", "))}`;
  io.note(`${printable(user_id)} must consent at ${printable(provider_id)}${wanted}`);
  io.note(io.notePaint.bold(printable(url)));
  const opened = browser && io.openBrowser(url);
  io.note(
    opened
      ? "Opened in the browser. Waiting (Ctrl-C cancels)."
      : "Open it in a browser. Waiting (Ctrl-C cancels).",
  );
  const { status, status_reason } = await consentEnd(client, id, Infinity);
  if (status === "completed") return io.note(io.notePaint.green("Consent completed."));
  throw consentRequired(`The consent failed: ${status_reason ?? status}. Run the command again to retry.`);
}

function consentNeeded(authorization: Authorization, what: string, served: boolean): ConsentRequired {
  const { user_id, url = "" } = authorization;
  const first = served ? "" : "start the server (runtime serve), then ";
  return new ConsentRequired(
    `${user_id} must consent before ${what} can run: ${first}open ${url}`,
    authorization,
  );
}
