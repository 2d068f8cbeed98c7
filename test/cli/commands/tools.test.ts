import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

describe("tools list", () => {
  test("is an array of the API's records", async () => {
    const { run } = newTerminal();

    const tools = jsonOf(await run(["tools", "list", "-o", "json"]));

    expect(tools).toContainEqual(
      expect.objectContaining({ qualified_name: "Chat.SendMessage", name: "SendMessage" }),
    );
  });

  test("is limited by --limit and --offset", async () => {
    const { run } = newTerminal();
    const all = jsonOf(await run(["tools", "list", "-o", "json"]));

    const second = jsonOf(await run(["tools", "list", "--limit", "1", "--offset", "1", "-o", "json"]));

    expect(second).toHaveLength(1);
    expect(at(second, "0")).toEqual(at(all, "1"));
  });

  test("shows the missing requirements of a user", async () => {
    const { run } = newTerminal();
    const ready = async () => (await run(["tools", "list", "--user", "alice"])).stdout;

    expect(await ready()).toMatch(/^Chat\.WhoAmI +no provider/m);
    await run(["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"]);
    expect(await ready()).toMatch(/^Chat\.WhoAmI +needs consent/m);
  });

  test("of an unknown toolkit is empty", async () => {
    expect(jsonOf(await newTerminal().run(["tools", "list", "--toolkit", "None", "-o", "json"]))).toEqual([]);
  });
});

describe("tools show", () => {
  test("prints the record, and for people the parameters as flags", async () => {
    const { run } = newTerminal();

    const record = jsonOf(await run(["tools", "show", "chat_sendmessage", "-o", "json"]));
    const { stdout } = await run(["tools", "show", "Chat.SendMessage"]);

    expect(record).toMatchObject({ qualified_name: "Chat.SendMessage" });
    expect(stdout).toMatch(/^--message +string +yes/m);
    expect(stdout).toMatch(/^--channel_name +string/m);
  });

  test("exits 3 for an unknown name and suggests the nearest", async () => {
    const ran = await newTerminal().run(["tools", "show", "Chat.SendMesage", "-o", "json"]);

    expect(ran.code).toBe(3);
    expect(jsonOf(ran)).toEqual({
      name: "tool_not_found",
      message: expect.stringContaining("Chat.SendMessage?"),
    });
  });
});

test("tools authorize prints the authorization, and a note if no server is running", async () => {
  const { run } = newTerminal();
  await run(["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"]);

  const ran = await run(["tools", "authorize", "Chat.WhoAmI", "--user", "alice", "-o", "json"]);
  expect(jsonOf(ran)).toMatchObject({ status: "pending", user_id: "alice", provider_id: "slack" });
  expect(at(jsonOf(ran), "url")).toMatch(/^http:\/\/127\.0\.0\.1:9099\/authorize\//);
  expect(ran.stderr).toContain("runtime serve");

  const id = String(at(jsonOf(ran), "id"));
  const status = await run(["auth", "status", id, "-o", "json"]);
  expect(jsonOf(status)).toMatchObject({ id, status: "pending" });
  const unknown = await run(["auth", "status", "ar_none", "-o", "json"]);
  expect([unknown.code, at(jsonOf(unknown), "name")]).toEqual([3, "invalid_parameter"]);
});

test("auth start requests the given scopes", async () => {
  const { run } = newTerminal({ RUNTIME_USER: "alice" });
  await run(["providers", "create", "slack", "--provider", "slack", "--client-id", "1.2"]);

  const ran = await run([
    "auth",
    "start",
    "slack",
    "--scope",
    "chat:write",
    "--scope",
    "users:read",
    "-o",
    "json",
  ]);

  expect(jsonOf(ran)).toMatchObject({
    user_id: "alice",
    scopes: ["chat:write", "users:read"],
    status: "pending",
  });
});
