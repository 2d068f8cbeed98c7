// Stored secrets: every rule of their records. The value goes in and never comes out.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Scenario, scenarios } from "./scenario";
import { databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const BASE = "/v1/admin/secrets";
const admin = () => api(stage.site.url, stage.keys.admin);
const upsert = (key: string, body: unknown) => admin().post(`${BASE}/${key}`, body);
/** The value as a tool would get it. */
const valueOf = (key: string, project = "default") => stage.site.runtime.secrets.value(project, key);
const letters = (count: number): string => "x".repeat(count);

describe("storing", () => {
  test("answers with the record and never with the value", async () => {
    const answer = await upsert("FIRST", { value: "s3cr3t-first", description: "The first" });
    expect(answer.status).toBe(200);
    const { id, created_at, updated_at, ...rest } = answer.body as Record<string, unknown>;
    expect(id).toMatch(/^sec_/);
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(updated_at).toBe(created_at);
    expect(rest).toEqual({
      key: "FIRST",
      description: "The first",
      binding: { id: "default", type: "project" },
    });
    expect((await admin().get(BASE)).text).not.toContain("s3cr3t");
    expect(JSON.stringify(dump(databaseOf(stage.site)))).not.toContain("s3cr3t");
    expect(await valueOf("FIRST")).toBe("s3cr3t-first");
  });

  test("again replaces the value and keeps the rest", async () => {
    const first = await upsert("AGAIN", { value: "one", description: "Kept" });
    stage.clock.move(5000);
    const second = await upsert("AGAIN", { value: "two" });
    expect(second.body).toMatchObject({
      ...(first.body as object),
      updated_at: at(second.body, "updated_at") as string,
    });
    expect(String(at(second.body, "updated_at")) > String(at(first.body, "updated_at"))).toBe(true);
    expect(await valueOf("AGAIN")).toBe("two");
    const third = await upsert("AGAIN", { value: "three", description: "Changed" });
    expect(at(third.body, "description")).toBe("Changed");
    expect((await upsert("AGAIN", { value: "four", description: "" })).body).toMatchObject({
      description: "",
    });
  });

  test("under another case of the key is the same secret, named as first written", async () => {
    const first = await upsert("Mixed_Case", { value: "one" });
    const second = await upsert("MIXED_CASE", { value: "two" });
    expect(at(second.body, "id")).toBe(at(first.body, "id") as string);
    expect(at(second.body, "key")).toBe("Mixed_Case");
    expect(await valueOf("mixed_case")).toBe("two");
    const keys = at((await admin().get(BASE)).body, "items") as { key: string }[];
    expect(keys.filter(({ key }) => key.toLowerCase() === "mixed_case")).toHaveLength(1);
  });

  test("twenty times at once makes one secret", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        upsert(index % 2 === 0 ? "RACE" : "race", { value: `v${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(answers.map(({ body }) => at(body, "id"))).size).toBe(1);
    expect(await valueOf("RACE")).toMatch(/^v\d+$/);
  });

  // The terminal drops one line end; the API stores what was sent.
  test.each([
    ["one line end", "https://api.example\n"],
    ["CR and LF", "https://api.example\r\n"],
    ["two line ends", "https://api.example\n\n"],
    ["a line end inside", "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"],
    ["spaces around it", "  spaced  "],
    ["every kind of letter", "ключ-鍵-🔑-\u0001-\"'\\"],
  ])("keeps a value with %s as it was sent [fault: secret-line-end]", async (_what, value) => {
    expect((await upsert("EXACT", { value })).status).toBe(200);
    expect(await valueOf("EXACT")).toBe(value);
  });

  test("is done by each project for itself", async () => {
    await upsert("SHARED_NAME", { value: "ours" });
    const other = api(stage.site.url, stage.keys.other);
    expect((await other.post(`${BASE}/SHARED_NAME`, { value: "theirs" })).status).toBe(200);
    expect([await valueOf("SHARED_NAME"), await valueOf("SHARED_NAME", "other")]).toEqual(["ours", "theirs"]);
    expect((await other.delete(`${BASE}/SHARED_NAME`)).status).toBe(204);
    expect(await valueOf("SHARED_NAME")).toBe("ours");
  });
});

describe("limits", () => {
  const put = (
    name: string,
    key: string,
    body: unknown,
    status: number,
    contains: string[] = [],
  ): Scenario => ({
    name,
    method: "POST",
    path: `${BASE}/${key}`,
    as: "admin",
    body,
    status,
    contains,
    lacks: ["s3cr3t"],
  });
  scenarios(
    () => stage,
    [
      put("a value of 5,000 characters is stored", "LONG", { value: letters(5000) }, 200),
      put(
        "a value of 5,000 characters of two units each is stored",
        "LONG",
        { value: "🔑".repeat(5000) },
        200,
      ),
      put("a value of 5,001 characters is 400", "LONG", { value: `s3cr3t${letters(4995)}` }, 400, [
        "value must",
      ]),
      put(
        "a description of 1,000 characters is stored",
        "LONG",
        { value: "v", description: letters(1000) },
        200,
      ),
      put("one of 1,001 is 400", "LONG", { value: "v", description: letters(1001) }, 400, [
        "description must",
      ]),
      put("a key of 100 characters is stored", letters(100), { value: "v" }, 200),
      put("a key of 101 is 400", letters(101), { value: "s3cr3t" }, 400, ["secret_key must"]),
      put("a key of 300 is told the same limit", letters(300), { value: "s3cr3t" }, 400, ["than 100 char"]),
      put("a key with a hyphen is 400", "a-b", { value: "s3cr3t" }, 400, ["secret_key must"]),
      put("a key with a dot is 400", "a.b", { value: "s3cr3t" }, 400),
      put("a key with a space is 400", "a%20b", { value: "s3cr3t" }, 400),
      put("a key with a line end is 400", "a%0A", { value: "s3cr3t" }, 400),
      put("a key of other letters is 400", "%D0%BA", { value: "s3cr3t" }, 400),
      put("no value is 400", "NONE", {}, 400, ["value is required"]),
      put("a value that is null is 400", "NONE", { value: null }, 400, ["value is required"]),
      put("a value that is a number is 400", "NONE", { value: 5 }, 400, ["value must be string"]),
      put("a value in a list is 400", "NONE", { value: ["s3cr3t"] }, 400, ["value must be string"]),
      put("a value in an object is 400", "NONE", { value: { s3cr3t: "s3cr3t" } }, 400, [
        "value must be string",
      ]),
      put("a description that is a list is 400", "NONE", { value: "s3cr3t", description: ["s3cr3t"] }, 400),
      put("a value under another name is 400", "NONE", { secret: "s3cr3t" }, 400, ["value is required"]),
      put(
        "unknown fields are ignored",
        "EXTRA",
        { value: "v", key: "OTHER", id: "sec_1", project_id: "other" },
        200,
        ["EXTRA"],
      ),
    ],
  );

  test("of a refused value leave no trace in the log", () => {
    const log = stage.site.logLines.join("\n");
    expect(log).toContain('"status":400');
    expect(log).not.toContain("s3cr3t");
  });
});

describe("listing and deleting", () => {
  test("the list is whole, oldest first, whatever is asked", async () => {
    const other = api(stage.site.url, stage.keys.other);
    for (let index = 0; index < 120; index++) {
      stage.clock.move(1);
      await other.post(`${BASE}/KEY_${index}`, { value: "v" });
    }
    const { body } = await other.get(`${BASE}?limit=1&offset=1`);
    const keys = (at(body, "items") as { key: string }[]).map(({ key }) => key);
    expect(keys).toEqual(Array.from({ length: 120 }, (_, index) => `KEY_${index}`));
    expect(body).toMatchObject({ total_count: 120, page_count: 120, limit: 120, offset: 0 });
  });

  test.each<[string, (id: string) => string]>([
    ["its id", (id) => id],
    ["its key", () => "DELETED"],
    ["its key in another case", () => "deleted"],
  ])("deletes by %s", async (_by, nameOf) => {
    const { body } = await upsert("DELETED", { value: "v" });
    const answer = await admin().delete(`${BASE}/${nameOf(String(at(body, "id")))}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: "" });
    expect(await valueOf("DELETED")).toBeUndefined();
    const again = await admin().delete(`${BASE}/DELETED`);
    expect({ status: again.status, name: at(again.body, "name") }).toEqual({
      status: 404,
      name: "not_found",
    });
  });

  test("does not delete a secret of another project, neither by id nor by key", async () => {
    const { body } = await upsert("FOREIGN", { value: "v" });
    const other = api(stage.site.url, stage.keys.other);
    const texts = [];
    for (const name of [String(at(body, "id")), "FOREIGN", "sec_none"]) {
      const answer = await other.delete(`${BASE}/${name}`);
      expect(answer.status).toBe(404);
      texts.push(answer.text);
    }
    expect(new Set(texts).size).toBe(1);
    expect(await valueOf("FOREIGN")).toBe("v");
  });

  test("a secret that is created again has nothing of the deleted one", async () => {
    const first = await upsert("REBORN", { value: "old", description: "Old" });
    await admin().delete(`${BASE}/REBORN`);
    const second = await upsert("reborn", { value: "new" });
    expect(at(second.body, "id")).not.toBe(at(first.body, "id"));
    expect(second.body).toMatchObject({ key: "reborn" });
    expect(at(second.body, "description")).toBeUndefined();
  });

  test("says when a tool last used it", async () => {
    await upsert("USED", { value: "v" });
    const shown = async () => {
      const items = at((await admin().get(BASE)).body, "items") as {
        key: string;
        last_accessed_at?: string;
      }[];
      return items.find(({ key }) => key === "USED")?.last_accessed_at;
    };
    expect(await shown()).toBeUndefined();
    await valueOf("USED");
    expect(await shown()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });
});
