// The deployment that all tests of the public client share.
import { Browser } from "../../support/browser";
import type { Site } from "../../support/site";
import { startWorkerSite } from "../../workers/site";
import { clientOf } from "./client";

export interface World extends AsyncDisposable {
  site: Site;
  keys: Readonly<Record<"admin" | "run" | "read", string>>;
  /** The user consents to sending messages, as alice at the platform. */
  connect(user: string): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const site = await startWorkerSite();
  await site.addChatProvider();
  const keys = { admin: await site.key("admin"), run: await site.key("run"), read: await site.key("read") };
  const client = clientOf(site.url, keys.run);
  return {
    site,
    keys,
    connect: async (user) => {
      const started = await client.tools.authorize({ tool_name: "Chat.SendMessage", user_id: user });
      if (started.status === "pending") await new Browser().consent(started.url ?? "", "alice");
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}
