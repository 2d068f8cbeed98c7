// Workers with the public client.
import { BadRequestError, NotFoundError } from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { plainTool, startPlainWorker } from "../../sandbox/workers";
import { clientOf, refusal } from "./client";
import type { World } from "./world";

export function workers(world: () => World): void {
  describe("the public client administers workers", () => {
    test("create, get, update, health, delete", async () => {
      await using upstream = await startPlainWorker();
      const client = clientOf(world().site.url, world().keys.admin).workers;
      const created = await client.create({
        id: "desk",
        type: "mcp",
        mcp: {
          uri: upstream.uri,
          timeout: 10,
          retry: 2,
          headers: { "X-Api-Key": "${secret:KEY}" },
          secrets: { KEY: "a secret of the worker" },
        },
      });

      expect(created).toMatchObject({ id: "desk", type: "mcp", enabled: true, managed: false });
      expect(created.mcp?.secrets?.["KEY"]).toMatchObject({ exists: true, editable: true });
      expect(JSON.stringify(created)).not.toContain("a secret of the worker");
      expect(await client.get("desk")).toEqual(created);
      expect(await client.health("desk")).toEqual({
        id: "desk",
        enabled: true,
        healthy: true,
        message: "It answers.",
      });
      const updated = await client.update("desk", { enabled: false, mcp: { timeout: 20 } });
      expect([updated.enabled, updated.mcp?.timeout, updated.mcp?.uri]).toEqual([false, 20, upstream.uri]);
      expect((await client.health("desk")).healthy).toBe(false);
      expect(await client.delete("desk")).toBeNull();
      expect(await refusal(client.get("desk"))).toBeInstanceOf(NotFoundError);
      expect(await refusal(client.delete("desk"))).toBeInstanceOf(NotFoundError);
    });

    test("an HTTP worker, whose id is taken then", async () => {
      await using upstream = await startPlainWorker();
      const client = clientOf(world().site.url, world().keys.admin).workers;
      const http = { uri: upstream.uri, secret: "a secret of the worker", timeout: 10, retry: 0 };
      const created = await client.create({ id: "own", http });

      expect(created.http).toEqual({
        uri: upstream.uri,
        timeout: 10,
        retry: 0,
        secret: { binding: "project", editable: true, exists: true },
      });
      expect(upstream.asked[0]).toMatchObject({ "x-secret": "a secret of the worker" });
      expect(await refusal(client.create({ id: "own", http }))).toBeInstanceOf(BadRequestError);
      await client.delete("own");
    });

    test("pages of workers, and of the tools of one", async () => {
      const names = Array.from({ length: 7 }, (_, index) => `tool_${index}`);
      await using upstream = await startPlainWorker(names.map((name) => plainTool(name)));
      const client = clientOf(world().site.url, world().keys.admin).workers;
      const ids = ["one", "two", "three"];
      for (const id of ids) await client.create({ id, mcp: { uri: upstream.uri, timeout: 10, retry: 0 } });

      const listed: string[] = [];
      for await (const { id } of client.list({ limit: 2 })) listed.push(id ?? "");
      const tools: string[] = [];
      for await (const tool of client.tools("two", { limit: 3 })) tools.push(tool.qualified_name);
      for (const id of ids) await client.delete(id);

      expect(listed).toEqual(ids);
      expect(tools).toEqual(names.map((name) => `Two.${name}`));
      expect(await refusal(Promise.resolve(client.tools("two")))).toBeInstanceOf(NotFoundError);
    });
  });
}
