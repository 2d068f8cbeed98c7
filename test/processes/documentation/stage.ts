// What runs next to the commands of a page: a server with the stand-ins of the platforms, and servers of others.
import { completion, startModelServer, type Turn } from "../../sandbox/models/chat-server";
import { Upstream } from "../../support/mcp-upstream";
import { startSite } from "../../support/site";
import type { Page } from "./pages";

export interface Stage extends AsyncDisposable {
  environment: Readonly<Record<string, string>>;
  /** Addresses in the page, and where they are here. */
  replace: readonly (readonly [string, string])[];
}

/** Calls the first tool that it gets, and says so. */
const TURN: Turn = ({ messages, tools }, reply) => {
  const tool = tools?.[0];
  const isAnswered = messages.at(-1)?.role === "tool";
  const call = { name: tool?.function.name ?? "", arguments: '{"channel_name":"general","message":"Hello"}' };
  reply.json(
    200,
    completion(tool === undefined || isAnswered ? { content: "Said hello." } : { calls: [call] }),
  );
};

export async function startStage(page: Page): Promise<Stage> {
  const peer = startPeer();
  const host = `127.0.0.1:${peer.port}`;
  const replace = (page.peers ?? []).map(
    (address) => [address, address.includes("://") ? `http://${host}` : host] as const,
  );
  const others = page.stage === "sandbox" ? await sandbox() : undefined;
  return {
    environment: others?.environment ?? {},
    replace: [...replace, ...(others === undefined ? [] : [["http://127.0.0.1:9099", others.url] as const])],
    [Symbol.asyncDispose]: async () => {
      await others?.[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

async function sandbox() {
  const models = await startModelServer(TURN);
  const entry = { id: "local", models: ["test-model"], openai: { base_url: models.url } };
  const site = await startSite({ environment: { RUNTIME_MODELS: JSON.stringify([entry]) } });
  await site.addChatProvider();
  const [run, admin] = [await site.key("run"), await site.key("admin")];
  return {
    url: site.url,
    environment: {
      SERVER: site.url,
      RUN_KEY: run,
      ADMIN_KEY: admin,
      RUNTIME_SERVER: site.url,
      RUNTIME_API_KEY: run,
      RUNTIME_USER: "bob",
    },
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}

/** An MCP server whose tools are others each time they are listed, and a webhook that allows everything. */
function startPeer(): Upstream {
  let lists = 0;
  const tool = (name: string) => ({
    name,
    description: `Says it again, in version ${lists}.`,
    inputSchema: { type: "object", properties: { message: { type: "string" } } },
  });
  return new Upstream({
    before: ({ url }) => (url.endsWith("/mcp") ? undefined : Response.json({ code: "OK" })),
    methods: {
      "tools/list": () => ({ tools: ++lists > 1 ? [tool("echo"), tool("shout")] : [tool("echo")] }),
      "tools/call": ({ params }) => ({
        content: [{ type: "text", text: JSON.stringify(params["arguments"]) }],
      }),
    },
  });
}
