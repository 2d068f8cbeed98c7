// `query` of the list of tools, over HTTP and at the terminal.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { newTerminal } from "../cli/support/fake-io";
import { type Hooked, hooked } from "../hooks/hooked";
import { at } from "../support/api";

let site: Hooked;
beforeAll(async () => {
  site = await hooked({ catalogs: extensions.catalogs });
  await site.plugin({ points: ["access"] });
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  site.project.respond = () => ({});
});

async function listed(query: string): Promise<{ names: string[]; total: number; status: number }> {
  const { status, body } = await site.agent.get(`/v1/tools?${query}`);
  const items = at(body, "items");
  return {
    status,
    names: Array.isArray(items) ? items.map((item) => String(at(item, "qualified_name"))) : [],
    total: Number(at(body, "total_count")),
  };
}

describe("GET /v1/tools?query=", () => {
  test("lists the tools that match, the best first", async () => {
    const { names, total } = await listed("query=write%20to%20one%20of%20my%20channels&limit=3");

    expect(names[0]).toBe("Chat.SendMessage");
    expect(names).toHaveLength(3);
    expect(total).toBeGreaterThan(3);
  });

  test("is in pages, which together are the whole list", async () => {
    const whole = await listed("query=messages&limit=100");
    const pages = await Promise.all(
      [0, 4, 8].map((offset) => listed(`query=messages&limit=4&offset=${offset}`)),
    );

    expect(pages.flatMap(({ names }) => names)).toEqual(whole.names.slice(0, 12));
    expect(pages.map(({ total }) => total)).toEqual([whole.total, whole.total, whole.total]);
  });

  test("counts only what the other filters leave", async () => {
    const { names } = await listed("query=the%20profile%20of%20a%20user&toolkit=sheets");

    expect(names[0]).toBe("Sheets.WhoAmI");
    expect(names.every((name) => name.startsWith("Sheets."))).toBe(true);
  });

  test("without a word is the list of all tools", async () => {
    expect((await listed("query=&limit=100")).names).toEqual((await listed("limit=100")).names);
  });

  test("that nothing matches is empty", async () => {
    expect(await listed("query=xyzzy")).toEqual({ status: 200, names: [], total: 0 });
  });

  test("longer than 500 characters is refused", async () => {
    expect((await listed(`query=${"x".repeat(501)}`)).status).toBe(400);
  });

  test("for a user has no tool that is hidden from the user, and does not count it", async () => {
    const hidden = { deny: { Chat: { tools: { SendMessage: [{}] } } } };
    site.project.respond = ({ body }) => (body["user_id"] === "mallory" ? hidden : {});
    const query = "query=send%20a%20message&limit=100&user_id=";
    const [alice, mallory] = [await listed(`${query}alice`), await listed(`${query}mallory`)];

    expect(alice.names[0]).toBe("Chat.SendMessage");
    expect(mallory.names.length).toBeGreaterThan(0);
    expect(mallory.names).not.toContain("Chat.SendMessage");
    expect(mallory.total).toBe(mallory.names.length);
  });

  test("leaves out nothing because a hidden tool matches better", async () => {
    site.project.respond = () => ({ only: { Test: { tools: { Echo: [{}] } } } });

    expect((await listed("query=echo%20a%20message%20to%20a%20channel&user_id=alice")).names).toEqual([
      "Test.Echo",
    ]);
  });
});

test("the terminal ranks as the API does", async () => {
  const terminal = newTerminal();
  const words = "write to one of my channels";
  const found = await terminal.run(["tools", "search", words, "--limit", "100", "-o", "json"]);
  const listed = await terminal.run(["api", "GET", `/v1/tools?limit=100&query=${encodeURIComponent(words)}`]);
  const items = at(JSON.parse(listed.stdout), "items");

  expect(Array.isArray(items) ? items.length : 0).toBeGreaterThan(1);
  expect(JSON.parse(found.stdout)).toEqual(items);
});
