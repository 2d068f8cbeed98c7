// Gateways on an asynchronous store, like a database server.
import { expect, test } from "bun:test";
import { openLateStore } from "../support/late-store";
import { operator } from "../tools/deployment";
import { client, valueAt, startMcpSite } from "./site";

test("a gateway is created once by concurrent requests, called in all revisions and deleted", async () => {
  await using site = await startMcpSite({ parts: { openStore: openLateStore } });
  const url = await site.gateway("late");
  const { gateways } = site.deployment.runtime;
  const create = (index: number) =>
    gateways.create(operator(), { name: `Racer ${index}`, slug: "race", auth_type: "arcade_header" }).then(
      () => "made",
      (error: unknown) => Object(error).status,
    );
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => create(index)));
  expect(outcomes.filter((outcome) => outcome === "made")).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 409)).toHaveLength(19);

  const own = client(url, { key: await site.key(), user: "alice" });
  const { session } = await own.initialize();
  const headers = { "mcp-session-id": session };
  const call = { name: "Test_Echo", arguments: { text: "hi" } };
  const calls = Array.from({ length: 10 }, (_, index) =>
    index % 2 === 0 ? own.modern("tools/call", call) : own.legacy("tools/call", call, headers),
  );
  for (const answer of await Promise.all(calls)) {
    expect(valueAt(answer, "result.structuredContent")).toEqual({ text: "hi" });
  }
  await site.deployment.addProvider();
  const owed = await own.legacy("tools/call", { name: "Test_Call" }, headers);
  expect(valueAt(owed, "result.content.0.text")).toContain("authorization_url");

  const { items } = await gateways.list(operator(), { limit: 100, offset: 0 });
  for (const { id } of items) await gateways.delete(operator(), id);
  expect((await own.legacy("ping")).status).toBe(404);
});
