// A site with one webhook at every point, which allows everything until a test says otherwise, and alice's consent.
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { type WebhookPeer, webhookPeer } from "./webhook-peer";

export interface GuardedSite extends AsyncDisposable {
  site: Site;
  peer: WebhookPeer;
  /** With the role `run`. */
  key: string;
  /** Forgets what was asked, and allows everything again. */
  reset(): void;
}

export async function startGuardedSite(): Promise<GuardedSite> {
  const site = await startSite();
  const peer = await webhookPeer();
  const key = await site.key("run");
  await site.addChatProvider();
  const consent = { tool_name: "Chat.SendMessage", user_id: "alice" };
  const started = await api(site.url, key).post("/v1/tools/authorize", consent);
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const endpoint = (point: string) => ({
    url: `${peer.url}/${point}`,
    phase: "before" as const,
    failure_mode: "fail_closed" as const,
  });
  await site.runtime.plugins.create(await site.runtime.identity.operator("default"), {
    name: "guard",
    plugin_type: "webhook",
    status: "active",
    webhook_config: {
      endpoints: { access: endpoint("access"), pre: endpoint("pre"), post: endpoint("post") },
    },
  });
  return {
    site,
    peer,
    key,
    reset: () => {
      peer.asked.length = 0;
      peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
      site.chat.clearRequests();
    },
    [Symbol.asyncDispose]: async () => {
      peer[Symbol.dispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}
