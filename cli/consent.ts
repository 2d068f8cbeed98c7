// Walking a person through a consent: the address, the browser, the wait. For a script the address is in the error.
import type { Authorization } from "../src/authorization";
import { consentRequired } from "../src/errors";
import { ConsentOwed } from "./errors";
import type { Io } from "./io";
import { printable } from "./printable";
import type { Session } from "./session";

/** How long one question to the services waits; they are asked again until the consent has ended. */
const WAIT_S = 59;

/**
 * Resolves when the user has granted what is owed. Throws `ConsentOwed` when nobody sits at a terminal, and
 * `tool_requirements_not_met` when the consent failed.
 */
export async function obtainConsent(
  io: Io,
  session: Session,
  authorization: Authorization,
  { browser, what }: { browser: boolean; what: string },
): Promise<void> {
  if (authorization.status === "completed") return;
  const server = await session.server();
  if (!io.interactive || authorization.url === undefined)
    throw owed(authorization, what, server !== undefined);
  if (server !== undefined) return walk(io, session, authorization, browser);
  const { listenForConsent } = await import("./serve");
  const listener = await listenForConsent(session.runtime);
  io.note(`No server is running. Listening on ${listener.address} until this consent has ended.`);
  try {
    await walk(io, session, authorization, browser);
  } finally {
    await listener.stop();
  }
}

async function walk(
  io: Io,
  { runtime, principal }: Session,
  { id, user_id, provider_id = "", scopes, url = "" }: Authorization,
  browser: boolean,
): Promise<void> {
  io.note(`${printable(user_id)} has to consent at ${provider_id}: ${printable(scopes.join(", "))}`);
  io.note(io.notePaint.bold(url));
  const opened = browser && io.openBrowser(url);
  io.note(
    opened
      ? "The browser shows it. Waiting (Ctrl-C stops)."
      : "Open it in a browser. Waiting (Ctrl-C stops).",
  );
  for (;;) {
    const { status, status_reason } = await runtime.authorization.status(principal, id, WAIT_S);
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
