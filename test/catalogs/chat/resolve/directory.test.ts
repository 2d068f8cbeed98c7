// What a listing has told is remembered for one connection: through Chat.SendMessage with channel names.
import { describe, expect, test } from "bun:test";
import { Connection } from "../run";
import { page, refusal, Stub } from "../stub";

const channel = (id: string, name: string, more = {}) => ({
  id,
  name,
  name_normalized: name,
  is_channel: true,
  is_member: true,
  ...more,
});
const channels = (...items: { [key: string]: unknown }[]) => page("channels", items);
const POSTED = { channel: "C1", ts: "1.0", message: { text: "hi" } };
const send = (connection: Connection, channel_name: string) =>
  connection.run("SendMessage", { message: "hi", channel_name });
const stubWith = (...pages: Parameters<Stub["on"]>[1][]) =>
  new Stub().on("conversations.list", ...pages).on("chat.postMessage", POSTED);
const postedTo = (stub: Stub) => stub.sent("chat.postMessage").map(({ params }) => params["channel"]);

describe("the cache", () => {
  test("stores every page that was read for any purpose", async () => {
    await using stub = stubWith(
      page("channels", [channel("C1", "one"), channel("C2", "two")], "next"),
      channels(channel("C3", "three")),
    );
    const connection = new Connection(stub.apiUrl);
    await send(connection, "two");
    await send(connection, "two");
    await send(connection, "one");
    expect(stub.calls("conversations.list")).toBe(1);
    await send(connection, "three");
    expect(stub.calls("conversations.list")).toBe(2);
    connection.clock.move(601_000);
    await send(connection, "three");
    expect(stub.calls("conversations.list")).toBe(3);
  });

  test("belongs to one connection", async () => {
    await using stub = stubWith(channels(channel("C1", "one")));
    await send(new Connection(stub.apiUrl), "one");
    await send(new Connection(stub.apiUrl), "one");
    expect(stub.calls("conversations.list")).toBe(2);
  });

  test.each(["channel_not_found", "is_archived"])(
    "is looked up again when its use fails with %s",
    async (code) => {
      await using stub = stubWith(channels(channel("COLD", "one")), channels(channel("CNEW", "one")));
      const connection = new Connection(stub.apiUrl);
      await send(connection, "one");
      stub.on("chat.postMessage", refusal(code), POSTED);
      await send(connection, "one");
      expect(postedTo(stub)).toEqual(["COLD", "COLD", "CNEW"]);
    },
  );

  test("is not looked up again when it was just read", async () => {
    await using stub = stubWith(channels(channel("C1", "one")));
    stub.on("chat.postMessage", refusal("is_archived"));
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "one",
    });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_BAD_REQUEST");
    expect(stub.calls()).toBe(2);
  });

  test("starts again when the cursor has expired", async () => {
    await using stub = stubWith(page("channels", [channel("C1", "one")], "gone"));
    const connection = new Connection(stub.apiUrl);
    await send(connection, "one");
    stub.on("conversations.list", refusal("invalid_cursor"), channels(channel("C2", "two")));
    await send(connection, "two");
    expect(postedTo(stub)).toEqual(["C1", "C2"]);
  });

  test("is read again once, for any number of runs that find it too old", async () => {
    await using stub = stubWith(channels(channel("C1", "one")));
    const connection = new Connection(stub.apiUrl);
    await send(connection, "one");
    connection.clock.move(60_000);
    stub.on("conversations.list", () =>
      Bun.sleep(5).then(() => channels(channel("C2", "two"), channel("C3", "three"))),
    );
    await Promise.all(["two", "three"].map((name) => send(connection, name)));
    expect(stub.calls("conversations.list")).toBe(2);
  });

  test("is read once for a missing name, even if other tools read pages long before", async () => {
    await using stub = stubWith(channels(channel("C1", "one")));
    const connection = new Connection(stub.apiUrl);
    await connection.run("ListConversations");
    connection.clock.move(60_000);
    const before = stub.calls("conversations.list");
    await connection.failure("SendMessage", { message: "hi", channel_name: "none" });
    // Private and public channels.
    expect(stub.calls("conversations.list") - before).toBe(2);
  });

  test("is shared by concurrent runs: each page is read once", async () => {
    await using stub = stubWith(
      () => Bun.sleep(5).then(() => page("channels", [channel("C1", "one")], "next")),
      () => Bun.sleep(5).then(() => channels(channel("C2", "two"), channel("C3", "three"))),
    );
    const connection = new Connection(stub.apiUrl);
    await Promise.all(["two", "three", "two", "one"].map((name) => send(connection, name)));
    expect(stub.calls("conversations.list")).toBe(2);
    expect(postedTo(stub).toSorted()).toEqual(["C1", "C2", "C2", "C3"]);
  });
});

describe("grants of a whole organization", () => {
  const facts = { user_id: "U1", team_id: "T1", enterprise_id: "E1" };
  const teamsSent = async (grantFacts: { [key: string]: string | boolean }) => {
    await using stub = stubWith(channels(channel("C1", "one"))).on("auth.test", { team_id: "T2" });
    const connection = new Connection(stub.apiUrl, { grant: { facts: grantFacts } });
    await send(connection, "one");
    return stub.sent("conversations.list").map(({ params }) => params["team_id"]);
  };

  test("name the workspace", async () => {
    expect(await teamsSent({ ...facts, is_enterprise_install: true })).toEqual(["T1"]);
  });

  test("request it if the grant does not store it", async () => {
    expect(await teamsSent({ is_enterprise_install: true })).toEqual(["T2"]);
  });

  describe.each([
    ["an organization's id", { ...facts, team_id: "E1", is_enterprise_install: true }, {}],
    ["no id", { user_id: "U1", enterprise_id: "E1", is_enterprise_install: true }, { team_id: "E1" }],
  ])("that name %s instead", (_, grantFacts, authTest) => {
    const stubOf = (...teams: string[]) =>
      stubWith(channels(channel("C1", "one")))
        .on("auth.test", authTest)
        .on(
          "auth.teams.list",
          page(
            "teams",
            teams.map((id) => ({ id, name: `Team ${id}` })),
          ),
        );
    const runWith = (stub: Stub) => new Connection(stub.apiUrl, { grant: { facts: grantFacts } });

    test("ask for the workspaces, and use the only one", async () => {
      await using stub = stubOf("T7");
      await send(runWith(stub), "one");
      expect(stub.sent("conversations.list").map(({ params }) => params["team_id"])).toEqual(["T7"]);
      expect(stub.calls("auth.teams.list")).toBe(1);
    });

    test("walk several workspaces, private channels first", async () => {
      await using stub = stubOf("T7", "T8");
      await runWith(stub).failure("SendMessage", { message: "hi", channel_name: "none" });
      expect(
        stub.sent("conversations.list").map(({ params }) => [params["types"], params["team_id"]]),
      ).toEqual([
        ["private_channel", "T7"],
        ["private_channel", "T8"],
        ["public_channel", "T7"],
        ["public_channel", "T8"],
      ]);
    });

    test("list the people of several workspaces, each once, over several calls", async () => {
      await using stub = stubOf("T7", "T8");
      stub.on("users.list", ({ params }) =>
        page(
          "members",
          [{ id: `U-${params["team_id"]}-${params["cursor"] ?? 0}` }],
          params["cursor"] === undefined ? "1" : "",
        ),
      );
      const connection = runWith(stub);
      const found: string[] = [];
      for (let next_cursor: unknown = ""; next_cursor !== null;) {
        const part = (await connection.run("ListUsers", { limit: 1, next_cursor })) as {
          users: { id: string }[];
          next_cursor: unknown;
        };
        found.push(...part.users.map(({ id }) => id));
        next_cursor = part.next_cursor;
      }
      expect(found).toEqual(["U-T7-0", "U-T7-1", "U-T8-0", "U-T8-1"]);
    });

    test("name the workspaces when there are too many", async () => {
      await using stub = stubOf(...Array.from({ length: 21 }, (_, n) => `T${n}`));
      const error = await runWith(stub).failure("SendMessage", { message: "hi", channel_name: "one" });
      expect(error.message).toContain("Team T0 (T0)");
      expect(stub.calls("conversations.list")).toBe(0);
    });

    test("are refused when there is none", async () => {
      await using stub = stubOf();
      const error = await runWith(stub).failure("ListConversations");
      expect(error.message).toContain("no workspace");
    });
  });

  test("are the only ones that name it", async () => {
    expect(await teamsSent({ ...facts, is_enterprise_install: false })).toEqual([undefined]);
  });
});
