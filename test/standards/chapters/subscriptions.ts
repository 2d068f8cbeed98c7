// Proofs about `subscriptions/listen`, whose answer does not end by itself.
import { expect } from "bun:test";
import type { Proof } from "../ledger";
import { modernMessage } from "../mcp";
import type { World } from "../world";

type Message = Record<string, unknown>;

/** Opens a subscription at a gateway of its own. */
async function open(world: World, notifications: object) {
  const operator = await world.site.runtime.identity.operator("default");
  const slug = `s${crypto.randomUUID().slice(0, 13)}`;
  const { id } = await world.site.runtime.gateways.create(operator, {
    name: "Subscribed",
    slug,
    auth_type: "arcade_header",
  });
  const { message, headers = {} } = modernMessage("subscriptions/listen", { notifications }, { id: 7 });
  const response = await fetch(`${world.url}/mcp/${slug}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.keys.run}`,
      "x-user-id": "alice",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const [event, more] = rest.split(/\n\n([^]*)/);
      if (more !== undefined) {
        rest = more;
        const data = /^data: (.*)$/m.exec(event ?? "")?.[1];
        if (data !== undefined) return JSON.parse(data);
        continue;
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: "" };
      if (done) return undefined;
      rest += value;
    }
  };
  return {
    response,
    next,
    change: () => world.site.runtime.gateways.patch(operator, id, { description: crypto.randomUUID() }),
    remove: () => world.site.runtime.gateways.delete(operator, id),
    close: () => reader?.cancel(),
  };
}

/** Looks at the first message. */
export function listens(notifications: object, look: (first: Message, response: Response) => unknown): Proof {
  return async (world) => {
    const opened = await open(world, notifications);
    await look((await opened.next()) ?? {}, opened.response);
    await opened.close();
  };
}

/** Whether a change of the gateway is told. */
export function watches(notifications: object, told: boolean): Proof {
  return async (world) => {
    const { next, change, remove } = await open(world, notifications);
    await next();
    await change();
    const method = told ? "notifications/tools/list_changed" : "notifications/cancelled";
    if (!told) await remove();
    expect(await next()).toMatchObject({
      method,
      params: { _meta: { "io.modelcontextprotocol/subscriptionId": 7 } },
    });
    if (told) await remove();
  };
}

/** The gateway is deleted: a cancellation, the result, and the end of the stream. */
export function ends(): Proof {
  return async (world) => {
    const { next, remove } = await open(world, { toolsListChanged: true });
    await next();
    await remove();
    expect(await next()).toMatchObject({ method: "notifications/cancelled", params: { requestId: 7 } });
    expect(await next()).toMatchObject({ id: 7, result: { resultType: "complete" } });
    expect(await next()).toBeUndefined();
  };
}
