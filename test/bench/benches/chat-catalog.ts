// Names in a workspace of 30,000 people and 27,000 channels: pages, time and memory.
import { Redacted } from "../../../src/base";
import { startSite } from "../../support/site";
import {
  CHANNEL_PAGES,
  CHANNELS,
  largeWorkspace,
  PEOPLE,
  PEOPLE_PAGES,
} from "../../catalogs/chat/large-workspace";
import type { Bench, Row } from "../bench";
import { atMost } from "../bound";

const SCOPES = ["channels:read", "groups:read", "mpim:read", "im:read", "users:read", "users:read.email"];
const WRITES = ["chat:write", "im:write", "mpim:write"];

export const chatCatalog: Bench = {
  name: "chat-catalog",
  about: `the last of ${CHANNELS} channels and ${PEOPLE} people: pages, memory, 20 that ask at once`,
  run: async () => {
    await using platform = largeWorkspace()
      .on("chat.postMessage", { channel: "C1", ts: "1.0", message: {} })
      .on("conversations.open", { channel: { id: "D1", is_im: true, user: "U1" } });
    await using site = await startSite({ environment: { RUNTIME_CHAT_API_URL: platform.apiUrl } });
    await site.addChatProvider();
    const operator = await site.runtime.identity.operator("default");
    const provider = await site.runtime.providers.find("default", "slack");
    if (provider === undefined) throw new Error("no provider");
    const grant = {
      accessToken: new Redacted("token"),
      refreshToken: undefined,
      expiresIn: undefined,
      scopes: [...SCOPES, ...WRITES],
      facts: { user_id: "UME", team_id: "T1" },
    };
    await site.runtime.connections.store("default", "alice", provider, grant, [], function* () {});
    const send = async (target: object): Promise<void> => {
      const input = { message: "hi", ...target };
      const { success, output } = await site.runtime.tools.execute(operator, {
        tool_name: "Chat.SendMessage",
        user_id: "alice",
        input,
      });
      if (!success) throw new Error(output?.error?.message);
    };
    const measure = async (
      method: string,
      work: () => Promise<unknown>,
    ): Promise<[pages: number, ms: number]> => {
      const before = platform.calls(method);
      const begun = performance.now();
      await work();
      return [platform.calls(method) - before, performance.now() - begun];
    };

    Bun.gc(true);
    const idle = process.memoryUsage().rss;
    const channel = { channel_name: `channel-${CHANNELS - 1}` };
    const person = { usernames: [`person-${PEOPLE - 1}`] };
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => send(channel)));
    const cold = await measure("conversations.list", twenty);
    const warm = await measure("conversations.list", () => send(channel));
    const people = await measure("users.list", () => send(person));
    Bun.gc(true);
    const grown = (process.memoryUsage().rss - idle) / 1_000_000;
    return [
      row("channel, 20 at once", cold, CHANNEL_PAGES),
      row("channel, warm", warm, 0),
      row("person, cold", people, PEOPLE_PAGES),
      {
        name: "memory",
        measured: `+${grown.toFixed(1)} MB`,
        baseline: "",
        figure: grown,
        bound: atMost(120, "MB"),
      },
    ];
  },
};

/** As a ratio to the minimal number of pages; a warm cache needs none. */
function row(name: string, [pages, ms]: [number, number], fewest: number): Row {
  const figure = fewest === 0 ? pages : pages / fewest;
  const bound = atMost(fewest === 0 ? 0 : 1);
  return {
    name,
    measured: `${pages} pages, ${ms.toFixed(0)} ms`,
    baseline: `${fewest} pages`,
    figure,
    bound,
  };
}
