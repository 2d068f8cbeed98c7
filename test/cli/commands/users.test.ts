// `runtime users`, and the grants of a user at once, on the data folder and against a server.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Stage, startStage } from "../../server/stage";
import { api, at } from "../../support/api";
import { newTerminal } from "../support/fake-io";

let stage: Stage;
let run: ReturnType<typeof newTerminal>["run"];
beforeAll(async () => {
  stage = await startStage();
  for (const user of ["alice", "bob", "carol"]) {
    await connect(stage, user);
    run = newTerminal({ ...stage.site.environment, RUNTIME_USER: user }).run;
    await run(["tools", "exec", "Chat.WhoAmI"]);
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const namesOf = async (): Promise<string[]> =>
  (await run(["users", "list", "-o", "name"])).stdout.trimEnd().split("\n");

test("a list has everybody, in pages", async () => {
  const admin = api(stage.site.url, await stage.site.key("admin"));
  const { body: first } = await admin.get("/v1/admin/users?limit=2");
  const { body: second } = await admin.get(`/v1/admin/users?limit=2&after=${String(at(first, "next"))}`);

  expect(await namesOf()).toEqual(["alice", "bob", "carol"]);
  expect([at(first, "items.0.user_id"), at(first, "next"), at(second, "items.0.user_id")]).toEqual([
    "alice",
    "bob",
    "carol",
  ]);
  expect(at(second, "next")).toBeUndefined();
});

describe("one user", () => {
  test("is shown, or nothing is stored", async () => {
    expect((await run(["users", "show", "alice", "-o", "json"])).stdout).toContain('"connections": 1');
    const { code, stderr } = await run(["users", "show", "dave"]);
    expect([code, stderr.includes("Nothing is stored about the user")]).toEqual([3, true]);
  });

  test("is exported as JSON, at a terminal too", async () => {
    const { stdout } = await run(["users", "export", "alice"]);
    expect(JSON.parse(stdout)).toMatchObject({ user_id: "alice", connections: [{ status: "active" }] });
  });

  test("loses all grants, and no other user does", async () => {
    const { code } = await run(["connections", "delete", "--user", "alice", "--all", "--yes"]);
    const left = (await run(["connections", "list", "-o", "json"])).stdout;

    expect(code).toBe(0);
    expect([left.includes('"alice"'), left.includes('"bob"')]).toEqual([false, true]);
  });

  test.each([
    [["connections", "delete"]],
    [["connections", "delete", "--all"]],
    [["connections", "delete", "--user", "bob"]],
    [["connections", "delete", "ac_1", "--user", "bob", "--all"]],
  ])("loses none by a half command: %j", async (line) => {
    const { code, stderr } = await run([...line, "--yes"]);
    expect([code, stderr.includes("--user USER --all")]).toEqual([2, true]);
  });

  test("is erased after a yes, and the command names the backups", async () => {
    expect((await run(["users", "erase", "bob"])).code).toBe(2);
    const { code, stderr } = await run(["users", "erase", "bob", "--yes"]);

    expect([code, stderr.includes("Backups that were made before")]).toEqual([0, true]);
    expect(await namesOf()).toEqual(["alice", "carol"]);
  });
});
