// What is revoked at one server is refused by the next request at every other, which has used it a moment ago.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { api, at } from "../../support/api";
import { hasPostgres, testOnPostgres } from "../../support/postgres/programs";
import { client, type McpAnswer, valueAt } from "../../mcp/site";
import { revokeKeys } from "./revoke-keys";
import { startThreeServers, type ThreeServers } from "./servers";

let three: ThreeServers;
let admin: string;
let agent: string;
beforeAll(async () => {
  if (!hasPostgres) return;
  three = await startThreeServers({ environment: { RUNTIME_LIMITS_BAD_CREDENTIALS: "0" } });
  admin = await three.key("admin");
  agent = await three.key("run");
}, 60_000);
afterAll(async () => three?.[Symbol.asyncDispose]());

const at0 = (key: string) => api(three.at(0).address, key);
/** The statuses of the same request at each server. */
const everywhere = async (work: (address: string) => Promise<{ status: number }>): Promise<number[]> =>
  (await Promise.all(three.all.map(({ address }) => work(address)))).map(({ status }) => status);

testOnPostgres(
  "50 keys are refused everywhere after their deletion",
  async () => {
    expect(await revokeKeys(three, admin, 50)).toEqual({
      tries: 50,
      answered: 150,
      refused: 150,
      others: [],
      errors: [],
    });
  },
  30_000,
);

describe("after a change at one server, every server", () => {
  testOnPostgres("asks for the consent again, when a connection is deleted", async () => {
    await three.consent(agent, "bob", "Chat.WhoAmI", 1);
    const whoAmI = { tool_name: "Chat.WhoAmI", user_id: "bob" };
    const results = async () =>
      Promise.all(
        three.all.map(async ({ address }) => {
          const { body } = await api(address, agent).post("/v1/tools/execute", whoAmI);
          return at(body, "success");
        }),
      );
    expect(await results()).toEqual([true, true, true]);
    const listed = await at0(admin).get("/v1/admin/user_connections?user_id=bob");
    const id = String(at(listed.body, "items.0.id"));
    expect((await at0(admin).delete(`/v1/admin/user_connections/${id}`)).status).toBe(204);

    three.chat.clearRequests();
    expect(await results()).not.toContain(true);
    expect(three.chat.calls("users.info")).toBe(0);
  });

  testOnPostgres("refuses a suspended user", async () => {
    const request = { tool_name: "Chat.WhoAmI", user_id: "carol" };
    const ask = () => everywhere((address) => api(address, agent).post("/v1/tools/authorize", request));
    expect(await ask()).toEqual([200, 200, 200]);
    await three.at(2).runtime.users.suspend(three.operator, "carol");

    expect(await ask()).toEqual([403, 403, 403]);
  });

  testOnPostgres("has the new limits of a gateway, and none when it is deleted", async () => {
    const { runtime } = three.at(1);
    const gateway = await runtime.gateways.create(three.operator, {
      name: "Shared",
      slug: "shared",
      auth_type: "arcade_header",
    });
    const list = (address: string): Promise<McpAnswer> =>
      client(`${address}/mcp/shared`, { key: agent, user: "alice" }).legacy("tools/list");
    expect(await everywhere(list)).toEqual([200, 200, 200]);
    await runtime.gateways.delete(three.operator, gateway.id);

    expect(await everywhere(list)).toEqual([404, 404, 404]);
  });
});

describe("an MCP session that one server has begun", () => {
  testOnPostgres("goes on at the others, also with calls, and ends with its key", async () => {
    const { runtime } = three.at(0);
    await runtime.gateways.create(three.operator, { name: "S", slug: "s", auth_type: "arcade_header" });
    const { id, key = "" } = await runtime.identity.createKey(three.operator, { name: "s", role: "run" });
    await three.consent(agent, "alice", "Chat.WhoAmI");
    const mcp = (address: string) => client(`${address}/mcp/s`, { key, user: "alice" });
    const { session } = await mcp(three.at(0).address).initialize();
    const inSession = { "mcp-session-id": session };
    const call = (address: string): Promise<McpAnswer> =>
      mcp(address).legacy("tools/call", { name: "Chat_WhoAmI", arguments: {} }, inSession);

    const answers = await Promise.all(three.all.map(({ address }) => call(address)));
    expect(answers.map((answer) => valueAt(answer, "result.structuredContent.username"))).toEqual(
      Array(3).fill("alice"),
    );
    await runtime.identity.deleteKey(three.operator, id);
    expect(await everywhere(call)).toEqual([401, 401, 401]);
  });
});
