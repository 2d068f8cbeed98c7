// Bulk read jobs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type RecordsSandbox, startRecordsSandbox } from ".";
import { call, type Called } from "./test-client";

let sandbox: RecordsSandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startRecordsSandbox();
});
beforeEach(() => {
  // A minute allows five more jobs; a token is valid for an hour.
  sandbox.move(61_000);
  token = sandbox.issueToken("alice").accessToken;
});
afterAll(() => sandbox.stop());

const BULK = "/creator/v2/bulk/acme/inventory/report";
const create = (body: unknown = {}, report = "All_Products", as = token): Promise<Called> =>
  call(sandbox.us, `POST ${BULK}/${report}/read`, { token: as, body });
const poll = (id: string, report = "All_Products", as = token): Promise<Called> =>
  call(sandbox.us, `GET ${BULK}/${report}/read/${id}`, { token: as });
const idOf = ({ text }: Called): string => /"id":"(\d{19})"/.exec(text)?.[1] ?? "";

test("a job runs until it is completed and has a result only then", async () => {
  const created = await create({
    query: { criteria: "Quantity > 1", fields: ["Name"], max_records: 150_000 },
  });
  expect(created.body).toMatchObject({ details: { operation: "read", status: "Scheduled" } });
  const id = idOf(created);
  for (const _ of [1, 2]) {
    const running = await poll(id);
    expect(running.body).toMatchObject({ details: { status: "In-progress" } });
    expect(running.text).not.toContain('"result"');
  }
  const done = await poll(id);
  expect(done.body).toMatchObject({ details: { status: "Completed" } });
  expect(done.text).toContain(
    `"count":2,"download_url":"/creator/v2/bulk/acme/inventory/report/All_Products/read/${id}`,
  );
});

test("creating and polling need a scope each", async () => {
  const creator = sandbox.issueToken("alice", ["bulk.CREATE"]).accessToken;
  const id = idOf(await create({}, "All_Products", creator));
  expect(await poll(id, "All_Products", creator)).toMatchObject({ status: 401, code: "2945" });
});

describe("refused", () => {
  test.each([
    ["too few", { max_records: 99_000 }, "3070"],
    ["too many", { max_records: 201_000 }, "3070"],
    ["not a multiple of 1000", { max_records: 100_500 }, "3070"],
    ["a number as text", { max_records: "100000" }, "3070"],
    ["an unknown field", { fields: ["Colour"] }, "3020"],
    ["invalid criteria", { criteria: "Name = 1" }, "3090"],
    ["an unknown cursor", { record_cursor: "x" }, "3020"],
  ])("%s", async (_, query, code) => {
    expect(await create({ query })).toMatchObject({ status: 400, code });
  });

  test("a chart", async () => {
    expect(await create({}, "Stock_Chart")).toMatchObject({ status: 400, code: "7150" });
  });

  test("an unknown job, or one of another report or person", async () => {
    const id = idOf(await create());
    expect(await poll("1")).toMatchObject({ code: "7120" });
    expect(await poll(id, "All_Suppliers")).toMatchObject({ code: "7120" });
    expect(await poll(id, "All_Products", sandbox.issueToken("bob").accessToken)).toMatchObject({
      code: "7130",
    });
  });

  test("the sixth job of a minute", async () => {
    for (let count = 0; count < 5; count++) expect(await create()).toMatchObject({ code: "3000" });
    expect(await create()).toMatchObject({ status: 429, code: "2955" });
    sandbox.move(61_000);
    expect(await create()).toMatchObject({ code: "3000" });
  });
});
