// Consents with the public client: start, wait, status, and the customer's own verifier.
import Arcade, { BadRequestError, NotFoundError, PermissionDeniedError } from "@arcadeai/arcadejs";
import { AuthorizationError } from "@arcadeai/arcadejs/resources/auth";
import { describe, expect, test } from "bun:test";
import { api } from "../../support/api";
import { Browser } from "../../support/browser";
import { startSite } from "../../support/site";
import { clientOf, refusal } from "./client";
import { startFront } from "./front";
import type { World } from "./world";

const SCOPES = ["users:read", "users:read.email"];

export function consents(world: () => World): void {
  const agent = () => clientOf(world().site.url, world().keys.run);

  describe("the public client and a consent", () => {
    test("start, wait, execute; then more scopes for another tool", async () => {
      const client = agent();
      const started = await client.auth.start("carla", "slack", { scopes: SCOPES });
      expect([started.status, started.user_id, started.scopes]).toEqual(["pending", "carla", SCOPES]);
      const consent = new Browser().consent(started.url ?? "", "alice");
      const [completed] = await Promise.all([client.auth.waitForCompletion(started), consent]);
      expect(completed.status).toBe("completed");

      const whoAmI = await client.tools.execute({ tool_name: "Chat.WhoAmI", user_id: "carla" });
      expect(whoAmI.output?.value).toHaveProperty("username", "alice");

      const call = {
        tool_name: "Chat.SendMessage",
        user_id: "carla",
        input: { channel_name: "general", message: "from the public client" },
      };
      expect(await refusal(client.tools.execute(call))).toBeInstanceOf(PermissionDeniedError);
      const more = await client.tools.authorize({ tool_name: "Chat.SendMessage", user_id: "carla" });
      await new Browser().consent(more.url ?? "", "alice");
      expect((await client.auth.waitForCompletion(more.id ?? "")).scopes).toEqual(
        expect.arrayContaining([...SCOPES, "chat:write"]),
      );
      expect((await client.tools.execute(call)).success).toBe(true);
      const { chat } = world().site;
      expect((await chat.messages(chat.channels.general.id)).at(-1)?.text).toBe(call.input.message);
    });

    test("authorize names a record, and returns at once when no permission is missing", async () => {
      const client = agent();
      await world().connect("frida");
      const requirement = { auth_requirement: { id: "slack", oauth2: { scopes: SCOPES } }, user_id: "frida" };
      const authorization = await client.auth.authorize(requirement);

      expect([authorization.status, authorization.url]).toEqual(["completed", undefined]);
      expect(await client.auth.waitForCompletion(authorization)).toBe(authorization);
      expect(authorization.context).not.toHaveProperty("token");
    });

    test("status returns at once or after its wait, and refuses an unknown id", async () => {
      const client = agent();
      const { id = "" } = await client.auth.start("waiting", "slack", { scopes: SCOPES });
      const order: string[] = [];
      const poll = async (name: string, wait?: number): Promise<void> => {
        const { status } = await client.auth.status(wait === undefined ? { id } : { id, wait });
        order.push(`${name}: ${status}`);
      };

      await Promise.all([poll("long", 2), poll("short", 1), poll("without")]);
      expect(order).toEqual(["without: pending", "short: pending", "long: pending"]);
      expect(await refusal(client.auth.status({ id: "ar_unknown" }))).toBeInstanceOf(BadRequestError);
      expect(await refusal(client.auth.status({ id, wait: 60 }))).toBeInstanceOf(BadRequestError);
    });

    test("waiting for nothing is refused by the client itself", async () => {
      expect(await refusal(agent().auth.waitForCompletion({}))).toBeInstanceOf(AuthorizationError);
    });

    test("a call that exceeds the client's timeout fails with a timeout error", async () => {
      const { id = "" } = await agent().auth.start("impatient", "slack", { scopes: SCOPES });
      const hasty = clientOf(world().site.url, world().keys.run, { timeout: 200, maxRetries: 0 });
      expect(await refusal(hasty.auth.status({ id, wait: 30 }))).toBeInstanceOf(
        Arcade.APIConnectionTimeoutError,
      );
    });
  });

  test("the customer's own verifier confirms a user with the public client", async () => {
    await using site = await startSite();
    await site.addChatProvider();
    const admin = await site.key("admin");
    const settings = { verifier_url: "http://127.0.0.1:9/verify" };
    await api(site.url, admin).put("/v1/admin/settings/session_verification", settings);
    const client = clientOf(site.url, await site.key("run"));
    const atVerifier = async (user: string) => {
      const { id = "", url = "" } = await client.auth.start(user, "slack", { scopes: SCOPES });
      const browser = new Browser();
      const answer = await browser.open(await browser.toCallback(url, "alice"));
      const verifier = new URL(answer.headers.get("location") ?? "");
      expect(verifier.origin + verifier.pathname).toBe(settings.verifier_url);
      return { id, flow_id: verifier.searchParams.get("flow_id") ?? "" };
    };

    const mine = await atVerifier("alice");
    using front = await startFront(site.url);
    front.next("lost");
    const verifyKey = await site.key("verify");
    const verifier = clientOf(front.url, verifyKey, { fetchOptions: { keepalive: false } });
    const confirmed = await verifier.auth.confirmUser({ flow_id: mine.flow_id, user_id: "alice" });
    expect(front.heads).toHaveLength(2);
    expect(confirmed.auth_id).toBe(mine.id);
    expect((await client.auth.waitForCompletion(mine.id)).status).toBe("completed");
    expect(
      await refusal(verifier.auth.confirmUser({ flow_id: mine.flow_id, user_id: "alice" })),
    ).toBeInstanceOf(NotFoundError);

    const theirs = await atVerifier("bob");
    const mistaken = await refusal(
      verifier.auth.confirmUser({ flow_id: theirs.flow_id, user_id: "mallory" }),
    );
    expect(mistaken).toBeInstanceOf(BadRequestError);
    expect((await client.auth.status({ id: theirs.id })).status).toBe("failed");
  });
}
