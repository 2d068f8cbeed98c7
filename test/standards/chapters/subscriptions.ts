// Proofs about streams that do not end by themselves: `subscriptions/listen`, and those of sessions.
import { expect } from "bun:test";
import { heardIn, type Listener, open } from "../../mcp/listener";
import { client, send } from "../../mcp/site";
import type { Proof } from "../ledger";
import { modernMessage } from "../mcp";
import type { World } from "../world";

type Message = Record<string, unknown>;

async function makeGateway(world: World) {
  const operator = await world.site.runtime.identity.operator("default");
  const slug = `s${crypto.randomUUID().slice(0, 13)}`;
  const { gateways } = world.site.runtime;
  const { id } = await gateways.create(operator, { name: "Subscribed", slug, auth_type: "arcade_header" });
  return {
    url: `${world.url}/mcp/${slug}`,
    change: () => gateways.patch(operator, id, { tool_filter: { allowed_tools: ["Chat.WhoAmI"] } }),
    remove: () => gateways.delete(operator, id),
  };
}

/** Opens a subscription at a gateway of its own. */
async function subscribe(world: World, notifications: object) {
  const made = await makeGateway(world);
  const { message, headers = {} } = modernMessage("subscriptions/listen", { notifications }, { id: 7 });
  const sent = send(made.url, message, { key: world.keys.run, user: "alice", headers });
  return { ...made, ...(await heardIn(sent)) };
}

type Look = (streams: Listener[], change: () => unknown, remove: () => unknown) => unknown;

/** Two streams of one session at a gateway of its own, the older one first. */
export function hears(look: Look): Proof {
  return async (world) => {
    const made = await makeGateway(world);
    const call = { key: world.keys.run, user: "alice" };
    const { session } = await client(made.url, call).initialize();
    const headers = { "mcp-session-id": session };
    const streams = [
      await heardIn(open(made.url, call, headers)),
      await heardIn(open(made.url, call, headers)),
    ];
    await look(streams, made.change, made.remove);
    for (const stream of streams) await stream.close();
  };
}

/** Looks at the first message. */
export function listens(notifications: object, look: (first: Message, response: Response) => unknown): Proof {
  return async (world) => {
    const opened = await subscribe(world, notifications);
    await look(opened.first ?? {}, opened.response);
    await opened.close();
  };
}

/** Whether a change of the gateway is told. */
export function watches(notifications: object, told: boolean): Proof {
  return async (world) => {
    const { next, change, remove } = await subscribe(world, notifications);
    await change();
    const method = told ? "notifications/tools/list_changed" : "notifications/cancelled";
    if (!told) await remove();
    expect((await next())?.message).toMatchObject({
      method,
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": 7 } },
    });
    if (told) await remove();
  };
}

/** The gateway is deleted: a cancellation, the result, and the end of the stream. */
export function ends(): Proof {
  return async (world) => {
    const { next, remove } = await subscribe(world, { toolsListChanged: true });
    await remove();
    expect((await next())?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 7 },
    });
    expect((await next())?.message).toMatchObject({ id: 7, result: { resultType: "complete" } });
    expect(await next()).toBeUndefined();
  };
}
