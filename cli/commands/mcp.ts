// `runtime mcp`: a gateway on standard input and output, for clients that start it as a program.
import { isObject, LazyAbort } from "../../src/base";
import { withClient, userOf } from "../client/client";
import { type Common, verb } from "../command";
import { UsageError } from "../errors";
import type { GatewayUser, SessionStream } from "../../src/mcp";
import type { Io } from "../io";
import { serveLines } from "../mcp-lines";
import type { Session } from "../session";

export const verbs = [
  verb({
    usage: "mcp",
    summary:
      "Serve a gateway to an MCP client that starts programs: messages on standard input, replies on standard output. " +
      "It acts for one user, on the data folder or through a server.",
    examples: ["runtime mcp --gateway support --user alice"],
    flags: [
      { flag: "--gateway <slug>", meaning: "slug of the gateway" },
      { flag: "--user <user>", meaning: "user to act for (default: the configured user)" },
    ],
    read: (line) => ({ gateway: line.text("gateway"), user: line.text("user") }),
    run: serveGateway,
  }),
];

interface McpOptions {
  gateway: string | undefined;
  user: string | undefined;
}

async function serveGateway(io: Io, common: Common, { gateway: slug, user }: McpOptions): Promise<void> {
  if (slug === undefined) throw new UsageError("--gateway SLUG is required. See: runtime gateways list");
  await withClient(io, common, async (client) => {
    const userId = userOf(client, user);
    if (client.kind === "remote") {
      const { relayTo } = await import("../mcp-relay");
      return serveLines(io, relayTo(client.server, slug, userId));
    }
    return serveDirectly(io, client.session, slug, userId);
  });
}

async function serveDirectly(io: Io, session: Session, slug: string, userId: string): Promise<void> {
  const { runtime, principal } = session;
  if ((await runtime.gateways.serving(slug))?.projectId !== principal.projectId) {
    const { notFound } = await import("../../src/errors");
    throw notFound(`There is no active gateway "${slug}" in this project.`);
  }
  const { errorReply, requestIdOf, RpcError } = await import("../../src/mcp");
  const stopListening = await listenForConsents(io, session);
  let sessionId: string | undefined;
  let listening: LazyAbort | undefined;
  try {
    await serveLines(io, async (value, write, line, ended) => {
      const user = await admitted(session, slug, userId);
      if (typeof user === "string") {
        listening?.abort();
        const id = requestIdOf(value, line);
        if (id === undefined) return;
        return write(errorReply(id, new RpcError(-32000, user)).text ?? "");
      }
      const stop = new LazyAbort();
      const isSubscription = isObject(value) && value["method"] === "subscriptions/listen";
      const stopping = isSubscription ? ended : undefined;
      const peer = { user, sessionId, header: undefined, stop, stopping, notify: write };
      const reply = await runtime.mcp.answer(value, line, peer);
      sessionId = reply.sessionId ?? sessionId;
      if (reply.text !== undefined) write(reply.text);
      if (!isObject(value) || value["method"] !== "notifications/initialized") return;
      listening?.abort();
      listening = stop;
      await tellChanges(session, { ...peer, stopping: ended, notify: write });
    });
  } finally {
    await stopListening();
  }
}

/** The user of a message, or why it is refused. Looked up for each message, because an administrator may have changed it. */
async function admitted(
  { runtime, principal }: Session,
  slug: string,
  userId: string,
): Promise<GatewayUser | string> {
  const { toRuntimeError } = await import("../../src/errors");
  try {
    const gateway = await runtime.gateways.serving(slug);
    if (gateway?.projectId !== principal.projectId) return "The gateway no longer exists.";
    return await runtime.mcp.access.admitOwn(gateway, principal, userId);
  } catch (error) {
    return toRuntimeError(error).message;
  }
}

/** Tells the client of a session of changed lists, until its input ends or it begins another session. */
async function tellChanges(
  { runtime }: Session,
  { notify, ...peer }: Omit<SessionStream, "begun" | "since">,
): Promise<void> {
  const { RpcError } = await import("../../src/mcp");
  try {
    await runtime.mcp.subscriptions.stream({ ...peer, begun: () => undefined, notify });
  } catch (error) {
    // Without a session there is nothing to tell.
    if (!(error instanceof RpcError)) throw error;
  }
}

/** The browser returns from a consent to a server: a running one, or one that this process starts. */
async function listenForConsents(io: Io, { runtime, server }: Session): Promise<() => Promise<void>> {
  if ((await server()) !== undefined) return async () => undefined;
  const { listenForConsent } = await import("../serve");
  try {
    const own = await listenForConsent(runtime);
    return () => own.stop();
  } catch (error) {
    io.note(`Users cannot consent now: ${error instanceof Error ? error.message : "unknown reason"}`);
    return async () => undefined;
  }
}
