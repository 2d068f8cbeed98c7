// Administration with the public client: providers, secrets, connections.
import { BadRequestError, NotFoundError } from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { clientOf, refusal } from "./client";
import type { World } from "./world";

export function administration(world: () => World): void {
  const admin = () => clientOf(world().site.url, world().keys.admin);

  describe("the public client administers", () => {
    test("auth providers: create, get, list, patch, delete", async () => {
      const { authProviders } = admin().admin;
      const created = await authProviders.create({
        id: "desk",
        provider_id: "slack",
        description: "help desk",
        oauth2: { client_id: "client", client_secret: "a secret of the client" },
      });

      expect(created.oauth2?.redirect_uri).toStartWith(`${world().site.url}/api/v1/oauth/`);
      expect(JSON.stringify(created)).not.toContain("a secret of the client");
      expect(await authProviders.get("desk")).toEqual(created);
      expect((await authProviders.list()).items?.map(({ id }) => id)).toContain("desk");
      const patched = await authProviders.patch("desk", {
        description: "support",
        oauth2: { client_id: "new" },
      });
      expect([patched.description, patched.oauth2?.client_id]).toEqual(["support", "new"]);
      expect((await authProviders.delete("desk")).id).toBe("desk");
      expect(await refusal(authProviders.get("desk"))).toBeInstanceOf(NotFoundError);
    });

    test("secrets: set, set again, list, delete by id and by key", async () => {
      const { secrets } = admin().admin;
      const first = await secrets.create("SERVER_URL", { value: "https://records.example" });
      const again = await secrets.create("SERVER_URL", {
        value: "https://other.example",
        description: "new",
      });

      expect([again.id, again.key, again.description]).toEqual([first.id, "SERVER_URL", "new"]);
      const listed = await secrets.list();
      expect(listed.items?.map(({ key }) => key)).toEqual(["SERVER_URL"]);
      expect(JSON.stringify(listed)).not.toContain("example");
      expect(await secrets.delete(first.id ?? "")).toBeNull();
      await secrets.create("SERVER_URL", { value: "v" });
      await secrets.delete("SERVER_URL");
      expect((await secrets.list()).items).toEqual([]);
      expect(await refusal(secrets.create("no key!", { value: "v" }))).toBeInstanceOf(BadRequestError);
    });

    test("connections of users: list by user and provider, delete", async () => {
      const { userConnections } = admin().admin;
      await world().connect("leaving");
      const [connection] = (await userConnections.list({ user_id: "leaving", provider_id: "slack" })).items;

      expect(connection).toMatchObject({
        user_id: "leaving",
        provider_id: "slack",
        connection_status: "active",
      });
      expect(await userConnections.delete(connection?.id ?? "")).toBeNull();
      expect((await userConnections.list({ user_id: "leaving" })).items).toEqual([]);
    });
  });
}
