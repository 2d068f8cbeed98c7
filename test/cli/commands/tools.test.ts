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

  test("of an unknown toolkit is an error that suggests the nearest one", async () => {
    const ran = await newTerminal().run(["tools", "list", "--toolkit", "Chatt"]);

    expect([ran.code, ran.stdout]).toEqual([3, ""]);
    expect(ran.stderr).toContain("The toolkit Chatt does not exist. Did you mean Chat?");
    expect(ran.stderr).toContain("runtime toolkits list");
  });

  test("marks deprecated tools, and --no-deprecated leaves them out", async () => {
    const { run } = newTerminal();
    const records = jsonOf(await run(["tools", "list", "-o", "json"]));
    const old = (Array.isArray(records) ? records : []).filter((each) => at(each, "deprecation_message"));
    expect(old.length).toBeGreaterThan(0);

    const all = (await run(["tools", "list"])).stdout.split("\n");
    const current = (await run(["tools", "list", "--no-deprecated", "-o", "name"])).stdout.split("\n");
    const window = ["--no-deprecated", "--limit", "2", "--offset", "1", "-o", "name"];

    expect(all.filter((line) => / {2}deprecated {2}/.test(line))).toHaveLength(old.length);
    for (const tool of old) expect(current).not.toContain(String(at(tool, "qualified_name")));
    expect((await run(["tools", "list", ...window])).stdout).toBe(`${current.slice(1, 3).join("\n")}\n`);
  });
});

describe("tools search", () => {
  const names = async (...words: string[]) => {
    const { stdout } = await newTerminal().run(["tools", "search", ...words, "-o", "name"]);
    return stdout.split("\n").filter((line) => line !== "");
  };

  test("finds the tool whose name has the words first, in any order and number", async () => {
    expect((await names("send", "messages"))[0]).toBe("Chat.SendMessage");
    expect((await names("message send to a channel"))[0]).toBe("Chat.SendMessage");
  });

  test("lists only tools with all words, if there are some", async () => {
    const found = await names("spreadsheet", "--toolkit", "Sheets");
    expect(found.length).toBeGreaterThan(0);
    for (const name of found) expect(name).toStartWith("Sheets.");
    expect(await names("users", "--toolkit", "Sheets", "--limit", "1")).toHaveLength(1);
  });

  test("says so if nothing is found", async () => {
    const ran = await newTerminal().run(["tools", "search", "xyzzy"]);

    expect([ran.code, ran.stdout]).toEqual([0, ""]);
    expect(ran.stderr).toContain("runtime tools list");
  });
});

describe("toolkits", () => {
  test("are listed with the number of their tools", async () => {
    const { run } = newTerminal();
    const tools = jsonOf(await run(["tools", "list", "--toolkit", "Chat", "-o", "json"]));

    expect(jsonOf(await run(["toolkits", "list", "-o", "json"]))).toContainEqual(
      expect.objectContaining({ name: "Chat", tools: Array.isArray(tools) ? tools.length : 0 }),
    );
    expect(jsonOf(await run(["toolkits", "show", "chat", "-o", "json"]))).toMatchObject({ name: "Chat" });
  });

  test("of an unknown name are an error with the nearest one", async () => {
    const ran = await newTerminal().run(["toolkits", "show", "Shets"]);

    expect([ran.code, ran.stderr.includes("Did you mean Sheets?")]).toEqual([3, true]);
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

test("a tool without its provider says how to set it up", async () => {
  const { run } = newTerminal();

  const ran = await run(["tools", "exec", "Chat.WhoAmI", "--user", "alice"]);

  expect([ran.code, ran.stdout]).toEqual([1, ""]);
  expect(ran.stderr).toContain(
    'no auth provider "slack" is configured in this project. An administrator sets it up: ',
  );
});
