// People by handle and by address.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../catalogs/chat/client";
import { findPeople } from "../../../../catalogs/chat/resolve/people";
import { Connection, failureOf } from "../run";
import { page, refusal, Stub, type StubAnswer, throttle } from "../stub";

const person = (id: string, name: string, more = {}) => ({
  id,
  name,
  deleted: false,
  is_bot: false,
  profile: { display_name: name.toUpperCase(), email: `${name}@example.com` },
  ...more,
});
const members = (...items: { [key: string]: unknown }[]) => page("members", items);
const byAddress: StubAnswer = ({ params }) => {
  const [name = ""] = (params["email"] ?? "").split("@");
  return name === "nobody" ? refusal("users_not_found") : { user: person(`U-${name}`, name) };
};

const find = async (stub: Stub, usernames: string[], emails: string[] = [], connection?: Connection) => {
  const client = new ChatClient((connection ?? new Connection(stub.apiUrl)).context());
  return (await findPeople(client, { userIds: [], usernames, emails })).map(({ id }) => id);
};

describe("handles", () => {
  test("are compared without case or sign, page after page, until all are found", async () => {
    await using stub = new Stub().on(
      "users.list",
      page("members", [person("U1", "ada")], "two"),
      page("members", [person("U2", "grace")], "three"),
      members(person("U3", "mary")),
    );
    expect(await find(stub, ["@Grace", "ADA "])).toEqual(["U2", "U1"]);
    expect(stub.calls()).toBe(2);
  });

  test("never find a bot or a display name", async () => {
    await using stub = new Stub().on(
      "users.list",
      members(
        person("U1", "helper", { is_bot: true }),
        person("USLACKBOT", "slackbot"),
        person("U2", "ada", { profile: { display_name: "helper", email: "ada@example.com" } }),
      ),
    );
    const error = await failureOf(find(stub, ["helper", "slackbot"]));
    expect(error.message).toContain("helper, slackbot");
    const [offered] = JSON.parse(error.details.additionalPromptContent?.replace(/^[^[]*/, "") ?? "[]");
    expect(offered).toEqual({ id: "U2", name: "ada", email: "ada@example.com", display_name: "helper" });
  });

  test("find the active owner, wherever the deactivated one is listed", async () => {
    const old = person("UOLD", "ada", { deleted: true });
    for (const pages of [
      [page("members", [old], "two"), members(person("UNEW", "ada"))],
      [members(person("UNEW", "ada"), old)],
    ]) {
      await using stub = new Stub().on("users.list", ...pages);
      expect(await find(stub, ["ada"])).toEqual(["UNEW"]);
    }
  });

  test("find a deactivated owner if there is no other", async () => {
    await using stub = new Stub().on("users.list", members(person("UOLD", "ada", { deleted: true })));
    expect(await find(stub, ["ada"])).toEqual(["UOLD"]);
  });

  test("follow later changes of their owner", async () => {
    await using stub = new Stub().on("users.list", members(person("U1", "ada")));
    const connection = new Connection(stub.apiUrl);
    await find(stub, ["ada"], [], connection);
    stub.on(
      "users.list",
      page("members", [person("U1", "ada", { deleted: true })], "two"),
      members(person("U2", "ada")),
    );
    await connection.run("ListUsers");
    expect(await find(stub, ["ada"], [], connection)).toEqual(["U2"]);
  });

  test("are read from the cache the second time", async () => {
    await using stub = new Stub().on("users.list", members(person("U1", "ada")));
    const connection = new Connection(stub.apiUrl);
    await find(stub, ["ada"], [], connection);
    await find(stub, ["ada"], [], connection);
    expect(stub.calls()).toBe(1);
  });

  test("are only 'not found so far' when the rate limit stopped the listing", async () => {
    await using stub = new Stub().on(
      "users.list",
      page("members", [person("U1", "ada")], "two"),
      throttle("90"),
    );
    const error = await failureOf(find(stub, ["grace"]));
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 90_000 } });
    expect(error.message).toContain("Not found so far: grace");
  });
});

describe("addresses", () => {
  test("are looked up one by one, three at a time, and need no listing", async () => {
    await using stub = new Stub().on("users.lookupByEmail", async (request) => {
      await Bun.sleep(5);
      return typeof byAddress === "function" ? byAddress(request) : {};
    });
    const emails = ["a", "b", "c", "d", "e"].map((name) => `${name}@example.com`);
    expect(await find(stub, [], emails)).toEqual(["U-a", "U-b", "U-c", "U-d", "U-e"]);
    expect(stub.calls()).toBe(5);
    expect(stub.busiest).toBe(3);
  });

  test("that are not found are named; any other refusal is thrown", async () => {
    await using stub = new Stub().on("users.lookupByEmail", byAddress);
    const error = await failureOf(find(stub, [], ["nobody@example.com", "ada@example.com"]));
    expect(error).toMatchObject({
      kind: "TOOL_RUNTIME_RETRY",
      details: { statusCode: 404, retryAfterMs: 500 },
    });
    expect(error.message).toContain("nobody@example.com");
    expect(error.message).not.toContain("ada@example.com");

    stub.on("users.lookupByEmail", refusal("missing_scope", { provided: "users:read" }));
    expect((await failureOf(find(stub, [], ["ada@example.com"]))).kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
  });
});

test("one error names all missing people; the order is handles, then addresses", async () => {
  await using stub = new Stub()
    .on("users.list", members(person("U1", "ada"), person("U2", "grace")))
    .on("users.lookupByEmail", byAddress);
  expect(await find(stub, ["grace", "ada"], ["mary@example.com"])).toEqual(["U2", "U1", "U-mary"]);
  const error = await failureOf(find(stub, ["ada", "zoe"], ["nobody@example.com"]));
  expect(error.message).toContain("zoe, nobody@example.com");
  expect(error.details.additionalPromptContent).toContain('"grace"');
});
