// `runtime mcp`: a gateway on standard input and output, for clients that start programs.
import type { Json } from "../../src/base";
import { withDataFolder } from "../client/client";
import { type Common, type Noun, verb } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import type { Session } from "../session";
import { userOf } from "../user";

export const mcp: Noun = {
  name: "mcp",
  summary: "serve a gateway on standard input and output",
  verbs: [
    verb({
      usage: "mcp",
      summary:
        "Serve a gateway to an MCP client that starts programs: messages on standard input, replies on standard output. " +
        "On the data folder, for one user.",
      examples: ["runtime mcp --gateway support --user alice"],
      flags: [
        { flag: "--gateway <slug>", meaning: "which gateway" },
        { flag: "--user <user>", meaning: "the user to act for (default: the configured one)" },
      ],
      read: (line) => ({ gateway: line.text("gateway"), user: line.text("user") }),
      run: serveGateway,
    }),
  ],
};

interface McpOptions {
  gateway: string | undefined;
  user: string | undefined;
}

async function serveGateway(io: Io, common: Common, { gateway: slug, user }: McpOptions): Promise<void> {
  if (slug === undefined)
    throw new UsageError("Name the gateway: --gateway SLUG. See: runtime gateways list");
  await withDataFolder(io, common, "mcp", async (session) => {
    const { runtime, principal } = session;
    const gateway = await runtime.gateways.serving(slug);
    if (gateway?.projectId !== principal.projectId) {
      const { notFound } = await import("../../src/errors");
      throw notFound(`There is no active gateway "${slug}" in this project.`);
    }
    const caller = { principal, userId: userOf(session, user) };
    const stop = await consentPlace(io, session);
    try {
      await serveLines(io, session, slug, caller);
    } finally {
      await stop();
    }
  });
}

/** Consents come back to a server: one that runs, or one that is here as long as this process. */
async function consentPlace(io: Io, { runtime, server }: Session): Promise<() => Promise<void>> {
  if ((await server()) !== undefined) return async () => undefined;
  const { listenForConsent } = await io.serving();
  try {
    const own = await listenForConsent(runtime);
    return () => own.stop();
  } catch (error) {
    io.note(`Consents cannot be given now: ${error instanceof Error ? error.message : "unknown reason"}`);
    return async () => undefined;
  }
}

type StdioCaller = Pick<import("../../src/mcp").GatewayUser, "principal" | "userId">;

async function serveLines(io: Io, { runtime }: Session, slug: string, caller: StdioCaller): Promise<void> {
  const { errorReply, PARSE_ERROR, RpcError } = await import("../../src/mcp");
  const { parseJson } = await import("../../src/base");
  const write = (text: string | undefined): void => {
    if (text !== undefined) io.out(`${text}\n`);
  };
  const running = new Set<Promise<void>>();
  let sessionId: string | undefined;
  const answer = async (value: Json): Promise<void> => {
    // Looked up anew each time: an administrator may have changed it meanwhile.
    const gateway = await runtime.gateways.serving(slug);
    if (gateway === undefined)
      return write(errorReply(undefined, new RpcError(-32000, "The gateway is gone.")).text);
    const stop = new AbortController();
    const user = { gateway, ...caller };
    const reply = await runtime.mcp.answer(value, {
      user,
      sessionId,
      header: undefined,
      stop,
      notify: write,
    });
    sessionId = reply.sessionId ?? sessionId;
    write(reply.text);
  };
  for await (const line of io.stdinLines()) {
    if (line.trim() === "") continue;
    let value: Json;
    try {
      value = parseJson(line);
    } catch {
      write(errorReply(undefined, new RpcError(PARSE_ERROR, "The line is not valid JSON.")).text);
      continue;
    }
    const work = answer(value).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}
