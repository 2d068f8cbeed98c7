// Walking a person through a consent: the address, the browser, the wait. For a script the address is in the error.
import type { Authorization } from "../src/authorization";
import { consentRequired } from "../src/errors";
import { consentStatus } from "./client/authorization";
import { type Client, isServed } from "./client/client";
import { ConsentOwed } from "./errors";
import type { Io } from "./io";
import { printable } from "./printable";

/** How long one question to the services waits; they are asked again until the consent has ended. */
const WAIT_S = 59;

/**
 * Resolves when the user has granted what is owed. Throws `ConsentOwed` when nobody sits at a terminal, and
 * `tool_requirements_not_met` when the consent failed.
 */
export async function obtainConsent(
  io: Io,
  client: Client,
  authorization: Authorization,
  { browser, what }: { browser: boolean; what: string },
): Promise<void> {
  if (authorization.status === "completed") return;
  const served = await isServed(client);
  if (!io.interactive || authorization.url === undefined) throw owed(authorization, what, served);
  if (served || client.kind === "remote") return walk(io, client, authorization, browser);
  const { listenForConsent } = await import("./serve");
  const listener = await listenForConsent(client.session.runtime);
  io.note(`No server is running. Listening on ${listener.address} until this consent has ended.`);
  try {
    await walk(io, client, authorization, browser);
  } finally {
    await listener.stop();
  }
}

async function walk(
  io: Io,
  client: Client,
  { id, user_id, provider_id = "", scopes, url = "" }: Authorization,
  browser: boolean,
): Promise<void> {
  io.note(
    `${printable(user_id)} has to consent at ${printable(provider_id)}: ${printable(scopes.join(", "))}`,
  );
  io.note(io.notePaint.bold(printable(url)));
  const opened = browser && io.openBrowser(url);
  io.note(
    opened
      ? "The browser shows it. Waiting (Ctrl-C stops)."
      : "Open it in a browser. Waiting (Ctrl-C stops).",
  );
  for (;;) {
    const { status, status_reason } = await consentStatus(client, id, WAIT_S);
    if (status === "completed") return io.note(io.notePaint.green("The consent is given."));
    if (status === "pending") continue;
    throw consentRequired(
      `The consent was not given: ${status_reason ?? status}. Run the command again to start anew.`,
    );
  }
}

function owed(authorization: Authorization, what: string, served: boolean): ConsentOwed {
  const { user_id, url = "" } = authorization;
  const first = served ? "" : "start the server (runtime serve), then ";
  return new ConsentOwed(
    `${user_id} has to consent before ${what} can run: ${first}open ${url}`,
    authorization,
  );
}
