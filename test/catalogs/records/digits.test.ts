// Numbers keep their digits on every way: record ids have 19, and a JavaScript number tells only 16 apart.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { parseJson } from "../../../src/base";
import { Platform } from "./platform";
import { MODES, named, rowOf } from "./rows";
import { User } from "./run";
import { Stub } from "./stub";

let platform: Platform;
let alice: User;
beforeAll(async () => {
  platform = await Platform.start();
});
beforeEach(() => {
  platform.fresh();
  alice = platform.alice();
});
afterAll(() => platform.sandbox.stop());

const products = () => platform.sandbox.records("us", "Products");

describe("input", () => {
  test("an id as text, and as a number that arrived as JSON", async () => {
    const { tool, input } = rowOf("FetchVendorRecordDetail");
    for (const { id } of products()) {
      for (const written of [`"${id}"`, id]) {
        const given = parseJson(`{"record_id":${written}}`);
        if (typeof given !== "object" || given === null || Array.isArray(given))
          throw new Error("No object.");
        const output = await alice.run(tool, { ...input, ...given });
        expect(output).toMatchObject({ response_json: { data: { ID: id } } });
      }
    }
  });

  test("an id that is short enough to be a JSON number is its digits, as a long one is", async () => {
    const { tool, input } = rowOf("FetchVendorRecordDetail");
    const error = await alice.failure(tool, { ...input, record_id: 12 });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(platform.sandbox.requests.at(-1)?.target).toEndWith("/12");
  });

  test("a number that may have lost digits is refused, not rounded to an id", async () => {
    const { tool, input } = rowOf("FetchVendorRecordDetail");
    const error = await alice.failure(tool, { ...input, record_id: 2 ** 60 });
    expect(error.message).toContain("record_id must be string");
  });
});

describe("request_body", () => {
  test("a lookup id as a bare number, and 1.10, arrive as they were written", async () => {
    const [, supplier] = platform.sandbox.records("us", "Suppliers");
    const request_body = `{"data":[{"Name":"Desk","Supplier":${supplier?.id},"Price":1.10,"Quantity":1234567890123456789}]}`;
    const { input } = await platform.live(rowOf("InsertRecordsInVendorForm"), alice);
    await alice.run("InsertRecordsInVendorForm", { ...input, request_body });
    expect(platform.sandbox.requests.at(-1)?.body).toBe(request_body);
    expect(products().at(-1)?.values).toMatchObject({
      Supplier: supplier?.id,
      Price: "1.10",
      Quantity: "1234567890123456789",
    });
  });

  test.each(named(MODES))("%s sends the same text, with its blanks and order", async (name, row) => {
    const { input } = await platform.live(row, alice);
    const written = String(input["request_body"]);
    const request_body = written
      .replace("{", '{\n  "zz": 9007199254740993.50e0, "a": [ ],')
      .replace(/,\s*\}$/, "}");
    await alice.run(name, { ...input, request_body });
    expect(platform.sandbox.requests.at(-1)?.body).toBe(request_body);
  });

  test("criteria by id find the one record", async () => {
    const second = products()[1];
    const { input } = await platform.live(rowOf("UpdateVendorCreatorReportRecords"), alice);
    const request_body = JSON.stringify({ criteria: `ID == ${second?.id}`, data: { Note: "this" } });
    await alice.run("UpdateVendorCreatorReportRecords", { ...input, request_body });
    expect(products().map(({ values }) => values["Note"])).toEqual([undefined, "this", undefined]);
  });
});

describe("answers", () => {
  test("integer ids of deleted records come as text with all digits", async () => {
    const ids = products().map(({ id }) => id);
    const { input } = await platform.live(rowOf("DeleteVendorRecord"), alice);
    expect(await alice.run("DeleteVendorRecord", input)).toMatchObject({
      response_json: { data: { ID: ids[0] } },
    });
    const many = rowOf("DeleteReportRecords");
    const request_body = '{"criteria":"ID != 0"}';
    expect(await alice.run(many.tool, { ...many.input, request_body })).toMatchObject({
      response_json: { result: [{ data: { ID: ids[1] } }, { data: { ID: ids[2] } }] },
    });
  });

  test("everything else is unchanged", async () => {
    const body =
      '{"code":3000,"data":[{"ID":3888833000000114027,"a":-12345678901234567890,"b":1.5,"g":0.12345678901234567890,"h":1234567890123456.75,"c":7,"d":"1.10","e":null,"f":[true]}]}';
    await using stub = new Stub({ body });
    const user = new User({ token: "1000.a.b", serverUrl: stub.url });
    expect(await user.run("FetchVendorRecords", rowOf("FetchVendorRecords").input)).toEqual({
      response_json: {
        code: 3000,
        data: [
          {
            ID: "3888833000000114027",
            a: "-12345678901234567890",
            b: 1.5,
            g: "0.12345678901234567890",
            h: "1234567890123456.75",
            c: 7,
            d: "1.10",
            e: null,
            f: [true],
          },
        ],
      },
    });
  });
});
