// One connection and one run by their ids: a record of another user or project looks like one that does not exist.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { connect, type Stage, startStage } from "./stage";

let stage: Stage;
let paths: Readonly<Record<string, string>>;
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  const connection = await connect(stage, "bob");
  const body = { tool_name: "Chat.WhoAmI", user_id: "bob" };
  const run = await client("run").post("/v1/tools/execute", body);
  paths = {
    connection: `/v1/admin/user_connections/${connection}`,
    run: `/v1/admin/executions/${String(at(run.body, "id"))}`,
  };
});
afterAll(() => stage[Symbol.asyncDispose]());

const client = (key: keyof Stage["keys"]) => api(stage.site.url, stage.keys[key]);

describe.each(["connection", "run"])("a %s", (kind) => {
  test("is what the list contains", async () => {
    const path = paths[kind] ?? "";
    const one = await client("read").get(path);
    const list = await client("read").get(path.slice(0, path.lastIndexOf("/")));

    expect([one.status, at(one.body, "user_id")]).toEqual([200, "bob"]);
    expect(at(list.body, "items")).toContainEqual(one.body);
  });

  test.each(["pinned read", "other"] as const)("of another user or project is unknown to %s", async (key) => {
    const path = paths[kind] ?? "";
    const foreign = await client(key).get(path);
    const none = await client(key).get(`${path.slice(0, path.lastIndexOf("/"))}/none`);

    expect([foreign.status, foreign.body]).toEqual([404, none.body]);
  });
});
