// Records: reading, adding, changing, deleting, and refusals.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type RecordsSandbox, startRecordsSandbox } from ".";
import { call, type Called } from "./test-client";

let sandbox: RecordsSandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startRecordsSandbox();
});
beforeEach(() => {
  sandbox.reset();
  token = sandbox.issueToken("alice").accessToken;
});
afterAll(() => sandbox.stop());

const PRODUCTS = "/creator/v2/data/acme/inventory/report/All_Products";
const SUPPLIERS = "/creator/v2/data/acme/inventory/report/All_Suppliers";
const FORM = "/creator/v2/data/acme/inventory/form/Products";

const send = (request: string, body?: unknown): Promise<Called> =>
  call(sandbox.us, request, { token, ...(body === undefined ? {} : { body }) });
const names = (): unknown[] => sandbox.records("us", "Products").map(({ values }) => values["Name"]);
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ Name: `n${index}` }));

describe("reading", () => {
  test("ids are text of 19 digits, too many for a number", async () => {
    const { text } = await send(`GET ${PRODUCTS}`);
    const ids = [...text.matchAll(/"ID":"(\d{19})","Name"/g)].map((match) => match[1]);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(new Set(ids.map(Number)).size).toBeLessThan(3);
  });

  test("a lookup is an object, several values are one text, numbers are text", async () => {
    const { text } = await send(`GET ${PRODUCTS}?limit=1`);
    expect(text).toContain('"Quantity":"12","Price":"19.90","Active":"true","Tags":"new"');
    expect(text).toMatch(/"Supplier":\{"ID":"\d{19}","display_value":"Nordwind"\}/);
  });

  test("pages start at 1, and a page past the end is an error", async () => {
    expect((await send(`GET ${PRODUCTS}?from=3&limit=2`)).text).toContain("Vase");
    expect(await send(`GET ${PRODUCTS}?from=4`)).toMatchObject({ status: 404, code: "3100" });
  });

  test("one record has all fields, including a computed one", async () => {
    const [first] = sandbox.records("us", "Products");
    expect((await send(`GET ${PRODUCTS}/${first?.id}`)).text).toContain('"Label":"L-1 Lamp"');
    expect(await send(`GET ${PRODUCTS}/1`)).toMatchObject({ status: 200, code: "3190" });
  });
});

describe("adding", () => {
  test("each record has its own result with the requested fields", async () => {
    const answer = await send(`POST ${FORM}`, {
      data: [{ Name: "Desk" }, { Name: "Desk", Quantity: -1 }, { SKU: "L-1" }],
      result: { fields: ["Name"], message: true, tasks: true },
    });
    expect(answer).toMatchObject({ status: 200, code: "3000" });
    expect(answer.text).toMatch(
      /"result":\[\{"code":3000,"data":\{"ID":"\d{19}","Name":"Desk"\},"message":"[^"]+","tasks":\{"openurl":\{"type":"same window","url":"#Page:Overview"\}\}\},\{"code":3001,"error":\["[^"]+"\]\},\{"code":3002,"error":\{"Name":"[^"]+","SKU":"[^"]+"\}\}\]/,
    );
    expect(names()).toEqual(["Lamp", "Chair", "Vase", "Desk"]);
  });

  test.each([
    ["an unknown field", { Name: "x", Colour: "red" }, "Colour"],
    ["text for a number", { Name: "x", Quantity: "many" }, "Quantity"],
    ["a number for text", { Name: 5 }, "Name"],
    ["an unknown choice", { Name: "x", Tags: ["blue"] }, "Tags"],
    ["one text for choices", { Name: "x", Tags: "new" }, "Tags"],
    ["a lookup without a target", { Name: "x", Supplier: "1" }, "Supplier"],
    ["a date of another form", { Name: "x", Released: "2026-01-05" }, "Released"],
    ["a computed field", { Name: "x", Label: "y" }, "Label"],
    ["a text that is too long", { Name: "x".repeat(256) }, "Name"],
  ])("%s is refused by name", async (_, record, field) => {
    const { text } = await send(`POST ${FORM}`, { data: [record] });
    expect(text).toContain(`"code":3002,"error":{"${field}"`);
    expect(names()).toHaveLength(3);
  });

  test("a lookup id written as a bare number keeps its digits", async () => {
    const [, frucht] = sandbox.records("us", "Suppliers");
    await send(`POST ${FORM}`, `{"data":[{"Name":"Desk","Price":1.10,"Supplier":${frucht?.id}}]}`);
    expect(sandbox.records("us", "Products").at(-1)?.values).toMatchObject({
      Supplier: frucht?.id,
      Price: "1.10",
    });
  });

  test("more than 200 are all refused", async () => {
    expect(await send(`POST ${FORM}`, { data: many(201) })).toMatchObject({ status: 200, code: "3950" });
    expect(names()).toHaveLength(3);
    expect(await send(`POST ${FORM}`, { data: many(200) })).toMatchObject({ code: "3000" });
  });
});

describe("changing", () => {
  test("by criteria", async () => {
    const answer = await send(`PATCH ${PRODUCTS}`, { criteria: "Quantity < 5", data: { Note: "low" } });
    expect(answer).toMatchObject({ status: 200, code: "3000" });
    expect(answer.body).not.toHaveProperty("more_records");
    const notes = sandbox.records("us", "Products").map(({ values }) => values["Note"]);
    expect(notes).toEqual([undefined, "low", "low"]);
  });

  test.each([
    ["no criteria", { data: { Note: "x" } }, 404, "1000"],
    ["blank criteria", { criteria: " ", data: { Note: "x" } }, 404, "1000"],
    ["no match", { criteria: 'Name == "none"', data: { Note: "x" } }, 404, "3100"],
    ["invalid criteria", { criteria: "Name = 1", data: { Note: "x" } }, 400, "3090"],
    ["no data", { criteria: "ID != 0" }, 400, "3020"],
  ])("%s changes nothing", async (_, body, status, code) => {
    expect(await send(`PATCH ${PRODUCTS}`, body)).toMatchObject({ status, code });
    expect(sandbox.records("us", "Products").every(({ values }) => values["Note"] === undefined)).toBe(true);
  });

  test("one record; rules are checked on the whole record", async () => {
    const [id = ""] = sandbox.add("us", "Products", [{ Name: "Twin", SKU: "L-1" }]);
    const { text } = await send(`PATCH ${PRODUCTS}/${id}`, { data: { Note: "x" } });
    expect(text).toContain('"code":3002,"error":{"SKU"');
    expect(await send(`PATCH ${PRODUCTS}/1`, { data: {} })).toMatchObject({ status: 200, code: "3190" });
  });
});

describe("more than 200 matches", () => {
  beforeEach(() => void sandbox.add("us", "Products", many(250)));

  test.each(["PATCH", "DELETE"])("%s without the flag does nothing", async (method) => {
    const body = { criteria: "ID != 0", data: { Note: "x" } };
    expect(await send(`${method} ${PRODUCTS}`, body)).toMatchObject({ status: 200, code: "3960" });
    expect(sandbox.records("us", "Products").every(({ values }) => values["Note"] === undefined)).toBe(true);
    expect(names()).toHaveLength(253);
  });

  test("with the flag 200 are changed, and more remain", async () => {
    const body = { criteria: "ID != 0", data: { Note: "x" } };
    const { body: answer } = await send(`PATCH ${PRODUCTS}?process_until_limit=true`, body);
    expect(answer).toMatchObject({ more_records: true });
    expect(sandbox.records("us", "Products").filter(({ values }) => values["Note"] === "x")).toHaveLength(
      200,
    );
  });

  test("with the flag 200 are deleted, then the others", async () => {
    const erase = () => send(`DELETE ${PRODUCTS}?process_until_limit=true`, { criteria: "ID != 0" });
    expect((await erase()).body).toMatchObject({ more_records: true });
    expect(names()).toHaveLength(53);
    expect((await erase()).body).toMatchObject({ more_records: false });
    expect(names()).toEqual([]);
  });
});

describe("deleting", () => {
  test("ids are integers with all digits", async () => {
    const [first, second] = sandbox.records("us", "Products");
    const { text } = await send(`DELETE ${PRODUCTS}`, {
      criteria: 'Name == "Lamp"',
      result: { message: true },
    });
    expect(text).toStartWith(`{"code":3000,"result":[{"code":3000,"data":{"ID":${first?.id}},"message":"`);
    expect((await send(`DELETE ${PRODUCTS}/${second?.id}`)).text).toBe(
      `{"code":3000,"data":{"ID":${second?.id}}}`,
    );
    expect(names()).toEqual(["Vase"]);
  });

  test("does not delete referenced records", async () => {
    const { text } = await send(`DELETE ${SUPPLIERS}`, { criteria: "ID != 0" });
    expect(text.match(/"code":3001/g)).toHaveLength(2);
    expect(sandbox.records("us", "Suppliers")).toHaveLength(2);
  });

  test("a body of another content type is refused", async () => {
    const [first] = sandbox.records("us", "Products");
    const headers = { "content-type": "text/plain" };
    const answer = await call(sandbox.us, `DELETE ${PRODUCTS}/${first?.id}`, { token, body: "{}", headers });
    expect(answer).toMatchObject({ status: 400, code: "3020" });
  });
});
