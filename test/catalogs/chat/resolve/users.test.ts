// People by id: remembered whatever told of them, for as long as that is believed, and not without end.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../catalogs/chat/client";
import { findUser, Memory } from "../../../../catalogs/chat/resolve/users";
import { Connection, failureOf } from "../run";
import { page, refusal, Stub } from "../stub";

const clientOf = (connection: Connection) => new ChatClient(connection.context());

describe("a person", () => {
  test("is looked up once for concurrent runs", async () => {
    await using stub = new Stub().on("users.info", () => Bun.sleep(5).then(() => ({ user: { id: "U1" } })));
    const connection = new Connection(stub.apiUrl);
    await Promise.all(Array.from({ length: 10 }, () => findUser(clientOf(connection), "U1")));
    expect(stub.calls()).toBe(1);
  });

  test("is known from the listing and from an address", async () => {
    await using stub = new Stub()
      .on("users.list", page("members", [{ id: "U1", name: "ada" }]))
      .on("users.lookupByEmail", { user: { id: "U2", name: "bob" } });
    const connection = new Connection(stub.apiUrl);
    await connection.run("GetUsersInfo", { usernames: ["ada"], emails: ["bob@example.com"] });
    expect(await findUser(clientOf(connection), "U1")).toMatchObject({ name: "ada" });
    expect(await findUser(clientOf(connection), "U2")).toMatchObject({ name: "bob" });
    expect(stub.calls("users.info")).toBe(0);
  });

  test("is known to one connection only", async () => {
    await using stub = new Stub().on("users.info", { user: { id: "U1" } });
    for (const _ of [1, 2]) await findUser(clientOf(new Connection(stub.apiUrl)), "U1");
    expect(stub.calls()).toBe(2);
  });

  test.each(["user_not_found", "user_not_visible"])(
    "counts as missing after %s, for half a minute",
    async (code) => {
      await using stub = new Stub().on("users.info", refusal(code), { user: { id: "U1" } });
      const connection = new Connection(stub.apiUrl);
      for (const _ of [1, 2]) expect(await findUser(clientOf(connection), "U1")).toBeUndefined();
      connection.clock.move(30_000);
      expect(await findUser(clientOf(connection), "U1")).toMatchObject({ id: "U1" });
      expect(stub.calls()).toBe(2);
    },
  );

  test("does not count as missing after a failure", async () => {
    await using stub = new Stub().on("users.info", refusal("something_new"), { user: { id: "U1" } });
    const connection = new Connection(stub.apiUrl);
    await failureOf(findUser(clientOf(connection), "U1"));
    expect(await findUser(clientOf(connection), "U1")).toMatchObject({ id: "U1" });
  });
});

describe("memory", () => {
  test("keeps a value until it expires", () => {
    const memory = new Memory<string>(10);
    memory.set("a", "one", 100);
    expect([memory.get("a", 99), memory.get("a", 100), memory.get("b", 0)]).toEqual([
      "one",
      undefined,
      undefined,
    ]);
  });

  test("removes the oldest value when it is full", () => {
    const memory = new Memory<number>(2);
    memory.set("a", 1, 100);
    memory.set("b", 2, 100);
    memory.set("a", 3, 100);
    memory.set("c", 4, 100);
    expect(["a", "b", "c"].map((key) => memory.get(key, 0))).toEqual([3, undefined, 4]);
  });
});
