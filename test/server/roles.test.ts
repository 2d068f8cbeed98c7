// What a key may do: its role, its project, and that both are checked before anything else is looked at.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, call } from "../support/api";
import {
  columnsOf,
  guarded,
  ROWS,
  type Row,
  type RowStage,
  send,
  sendAs,
  startRowStage,
} from "./operation-rows";
import { expectNoInsides } from "./scenario";
import { databaseOf, dumpWithoutRefusals } from "./stage";

let stage: RowStage;
beforeAll(async () => {
  stage = await startRowStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const FIVE_MB = `{"x":"${"y".repeat(5_000_000)}"}`;

describe("the order of checks", () => {
  const writing = guarded.filter(([, { body }]) => body !== undefined);

  test.each(writing)("%s: the credential comes before the body", async (id, row) => {
    for (const raw of ["{broken", "", FIVE_MB]) {
      const answer = await send(stage, [id, row], { "content-type": "text/plain" }, raw);
      expect(answer.status).toBe(401);
    }
  });

  test.each(writing)("%s: the role comes before the body", async (id, row) => {
    const wrong = columnsOf(id).has("run") ? "read" : "run";
    for (const raw of ["{broken", "[]", FIVE_MB]) {
      const answer = await sendAs(stage, [id, row], wrong, raw);
      expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
        status: 403,
        name: "forbidden",
      });
    }
  });

  test.each(["PATCH", "DELETE"])("%s: the role comes before the existence of a record", async (method) => {
    const body = method === "PATCH" ? {} : undefined;
    const path = "/v1/admin/auth_providers/nowhere";
    expect((await call(stage.site.url, { method, path, key: stage.keys.run, body })).status).toBe(403);
  });
});

describe.each(["run", "read", "verify", "metrics"] as const)("a %s key", (role) => {
  const closed = guarded.filter(([id]) => !columnsOf(id).has(role));
  const open = guarded.filter(([id]) => columnsOf(id).has(role));

  test.each(closed)("on %s is 403 and changes nothing", async (id, row) => {
    const before = dumpWithoutRefusals(databaseOf(stage.site));
    const answer = await sendAs(stage, [id, row], role);
    expect({ status: answer.status, name: at(answer.body, "name") }).toEqual({
      status: 403,
      name: "forbidden",
    });
    expect(at(answer.body, "message")).toContain("admin");
    expectNoInsides(stage, answer.text);
    expect(dumpWithoutRefusals(databaseOf(stage.site))).toEqual(before);
  });

  test.each(open)("may call %s", async (id, row) => {
    expect((await sendAs(stage, [id, row], role)).status).toBe(row.success);
  });
});

test("a read key writes nothing, whatever it calls", async () => {
  const before = dumpWithoutRefusals(databaseOf(stage.site));
  for (const entry of guarded) await sendAs(stage, entry, "read");
  expect(dumpWithoutRefusals(databaseOf(stage.site))).toEqual(before);
});

describe("an admin key of another project", () => {
  test("sees and changes nothing of this one", async () => {
    const before = rowsOf("default");
    for (const entry of guarded) {
      const answer = await sendAs(stage, entry, "other");
      expect(answer.text).not.toContain(stage.connection);
      // What to enter at a platform's console is the same for every project.
      if (entry[0] !== "provider-setup-get") expect(answer.text).not.toContain("slack.com");
      expectNoInsides(stage, answer.text);
    }
    expect(rowsOf("default")).toEqual(before);
  });

  test.each([
    ["auth-providers-get", 404],
    ["auth-providers-update", 404],
    ["auth-providers-delete", 404],
    ["auth-connections-delete", 404],
    ["auth-status", 400],
    ["initiate-authorization", 400],
    ["tool-authorize", 400],
    ["tool-execute", 400],
  ])("%s answers %d", async (id, status) => {
    expect((await sendAs(stage, [id, rowOf(id)], "other")).status).toBe(status);
  });

  test.each(["auth-providers-list", "secrets-list", "auth-connections-list"])("%s is empty", async (id) => {
    // The provider and the secret that the rows made in its own project are gone by then.
    await sendAs(stage, ["auth-providers-delete", made], "other");
    const answer = await sendAs(stage, [id, rowOf(id)], "other");
    expect(at(answer.body, "items")).toEqual([]);
  });
});

// Last: in this order every row succeeds, and the last ones take everything down.
describe("an admin key", () => {
  test.each(guarded)("may call %s", async (id, row) => {
    const { status, text } = await sendAs(stage, [id, row], "admin");
    expect({ status, text }).toEqual({ status: row.success, text });
  });
});

const made: Row = { path: "/v1/admin/auth_providers/made", success: 200 };

function rowOf(id: string): Row {
  const row = ROWS[id];
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
}

/** All rows of a project in every table that has such. */
function rowsOf(projectId: string): unknown {
  const own = (row: unknown): boolean => JSON.stringify(row).includes(`"project_id":"${projectId}"`);
  return Object.entries(dumpWithoutRefusals(databaseOf(stage.site))).map(([table, rows]) => [
    table,
    rows.filter(own),
  ]);
}
