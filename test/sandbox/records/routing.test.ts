// Requests that the API accepts: address, method, headers, token, scope, query.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type RecordsSandbox, startRecordsSandbox } from ".";
import { call, rawCall } from "./test-client";

let sandbox: RecordsSandbox;
let token: string;
beforeAll(async () => {
  sandbox = await startRecordsSandbox();
  token = sandbox.issueToken("alice").accessToken;
});
afterEach(() => sandbox.clearRequests());
afterAll(() => sandbox.stop());

const PRODUCTS = "/creator/v2/data/acme/inventory/report/All_Products";

describe("addresses", () => {
  test.each([
    ["a doubled slash in front", "//creator/v2/meta/applications", 404, "1000"],
    ["an empty segment", "/creator/v2/data//inventory/report/All_Products", 404, "1000"],
    ["a slash at the end", `${PRODUCTS}/`, 404, "1000"],
    ["one segment too many", `${PRODUCTS}/1/2`, 404, "1000"],
    ["unresolved dots", "/creator/v2/data/../meta/applications", 404, "1000"],
    ["an invalid encoding", "/creator/v2/meta/%zz/applications", 404, "1000"],
    ["another family", "/creator/v2/other/acme", 404, "1000"],
    ["the next API version", "/creator/v2.1/data/acme/inventory/report/All_Products", 404, "2930"],
    ["another product", "/api/v2/acme/inventory/report/All_Products", 404, "1000"],
  ])("%s", async (_, target, status, code) => {
    expect(await rawCall(sandbox.us, "GET", target, token)).toMatchObject({ status, code });
    expect(sandbox.requests).toMatchObject([{ route: "unknown", target, status, code: Number(code) }]);
  });

  test("an encoded slash stays inside its segment", async () => {
    const answer = await rawCall(sandbox.us, "GET", "/creator/v2/meta/a%2Fb/applications", token);
    expect(answer).toMatchObject({ status: 404, code: "1040" });
    expect(sandbox.requests[0]?.path).toEqual(["creator", "v2", "meta", "a/b", "applications"]);
  });

  test.each(["POST", "PUT", "DELETE"])("%s on a route that is read", async (method) => {
    const answer = await call(sandbox.us, `${method} /creator/v2/meta/applications`, { token });
    expect(answer).toMatchObject({ status: 405, code: "1020" });
  });

  test.each([
    ["owner", "/creator/v2/data/nobody/nothing/report/None", "1040"],
    ["application", "/creator/v2/data/acme/nothing/report/None", "2892"],
    ["report", "/creator/v2/data/acme/inventory/report/None", "2894"],
    ["form", "/creator/v2/meta/acme/inventory/form/None/fields", "2893"],
  ])("an unknown %s", async (_, path, code) => {
    expect(await call(sandbox.us, `GET ${path}`, { token })).toMatchObject({ status: 404, code });
  });

  test("an application that is not shared", async () => {
    const bob = sandbox.issueToken("bob").accessToken;
    const answer = await call(sandbox.us, "GET /creator/v2/meta/acme/hr/sections", { token: bob });
    expect(answer).toMatchObject({ status: 403, code: "2933" });
  });
});

describe("headers", () => {
  test.each(["*/*", "application/json, text/plain, */*", "text/html"])("Accept: %s", async (accept) => {
    const answer = await call(sandbox.us, `GET ${PRODUCTS}`, { token, headers: { accept } });
    expect(answer).toMatchObject({ status: 400, code: "9210" });
  });

  test("an environment needs another API version", async () => {
    const headers = { environment: "development" };
    expect(await call(sandbox.us, `GET ${PRODUCTS}`, { token, headers })).toMatchObject({
      status: 404,
      code: "2930",
    });
  });

  test.each([
    ["no body", {}],
    ["a body of another type", { body: "{}", headers: { "content-type": "text/plain" } }],
    ["no JSON", { body: "{" }],
    ["no object", { body: [] }],
  ])("%s where one is needed", async (_, given) => {
    const options = { token, ...given };
    expect(await call(sandbox.us, `PATCH ${PRODUCTS}`, options)).toMatchObject({ status: 400, code: "3020" });
  });
});

describe("tokens", () => {
  test.each([
    ["none", {}],
    ["an unknown one", { token: "1000.x.y" }],
    ["Bearer", (): object => ({ headers: { authorization: `Bearer ${token}` } })],
  ])("%s has the code and description of all token errors", async (_, given) => {
    const options = typeof given === "function" ? given() : given;
    const answer = await call(sandbox.us, `GET ${PRODUCTS}`, options);
    expect(answer).toMatchObject({ status: 401, code: "1030", body: { description: expect.any(String) } });
    expect(answer.body).not.toHaveProperty("message");
  });

  test("in the query is ignored", async () => {
    const answer = await call(sandbox.us, `GET ${PRODUCTS}?access_token=${token}`);
    expect(answer).toMatchObject({ status: 401, code: "1030" });
  });

  test("an expired one", async () => {
    const { accessToken } = sandbox.issueToken("alice");
    sandbox.expireToken(accessToken);
    expect(await call(sandbox.us, `GET ${PRODUCTS}`, { token: accessToken })).toMatchObject({ code: "1030" });
  });

  test("one of another data center", async () => {
    const europa = "/creator/v2/data/europa/inventory/report/All_Products";
    expect(await call(sandbox.eu, `GET ${europa}`, { token })).toMatchObject({ status: 401, code: "1030" });
    const { accessToken } = sandbox.issueToken("carla");
    expect(await call(sandbox.eu, `GET ${europa}`, { token: accessToken })).toMatchObject({ code: "3000" });
    expect(await call(sandbox.us, `GET ${PRODUCTS}`, { token: accessToken })).toMatchObject({ code: "1030" });
  });

  test("each route needs its own scope", async () => {
    const { accessToken } = sandbox.issueToken("alice", ["report.READ"]);
    expect(await call(sandbox.us, `GET ${PRODUCTS}`, { token: accessToken })).toMatchObject({ code: "3000" });
    const refused = await call(sandbox.us, `GET ${PRODUCTS.replace("data", "bulk")}/read/1`, {
      token: accessToken,
    });
    expect(refused).toMatchObject({ status: 401, code: "2945", body: { description: expect.any(String) } });
  });
});

describe("query", () => {
  test.each([
    ["an unknown parameter", "max_records=5", 401, "1060"],
    ["a doubled one", "from=1&from=2", 401, "1000"],
    ["from=0", "from=0", 401, "1000"],
    ["from=", "from=", 401, "1000"],
    ["from=1.5", "from=1.5", 401, "1000"],
    ["limit=201", "limit=201", 200, "3970"],
    ["an empty criteria is none", "criteria=", 200, "3000"],
    ["a plus is a space", "criteria=Name%20==%20%22a+b%22", 404, "3100"],
  ])("%s", async (_, query, status, code) => {
    expect(await call(sandbox.us, `GET ${PRODUCTS}?${query}`, { token })).toMatchObject({ status, code });
  });
});

describe("private links", () => {
  const report = "/creator/v2/publish/acme/inventory/report/All_Products";

  test("the key opens its report without a token; the request log shows the headers", async () => {
    const { products } = sandbox.privateLinks("us");
    expect(await call(sandbox.us, `GET ${report}?privatelink=${products}`)).toMatchObject({ code: "3000" });
    await call(sandbox.us, `GET ${report}?privatelink=${products}`, { token });
    expect(sandbox.requests.map(({ headers }) => headers["authorization"])).toEqual([
      undefined,
      `Zoho-oauthtoken ${token}`,
    ]);
  });

  test.each([
    ["no key", "", 401, "1000"],
    ["an empty one", "privatelink=", 401, "1000"],
    ["one given twice", "privatelink=a&privatelink=a", 401, "1000"],
    ["a wrong one", "privatelink=a", 403, "2898"],
  ])("%s", async (_, query, status, code) => {
    expect(await call(sandbox.us, `GET ${report}?${query}`)).toMatchObject({ status, code });
  });

  test("the key of another component", async () => {
    const { productForm } = sandbox.privateLinks("us");
    expect(await call(sandbox.us, `GET ${report}?privatelink=${productForm}`)).toMatchObject({
      code: "2898",
    });
    const form = "/creator/v2/publish/acme/inventory/form/Products";
    const body = { data: [{ Name: "x" }] };
    expect(await call(sandbox.us, `POST ${form}?privatelink=a`, { body })).toMatchObject({ code: "2899" });
  });
});

test("the metadata of an account", async () => {
  const names = async (path: string): Promise<string> =>
    (await call(sandbox.us, `GET ${path}`, { token })).text;
  expect(await names("/creator/v2/meta/applications")).toContain('"link_name":"hr"');
  expect(await names("/creator/v2/meta/acme/inventory/sections")).toContain('"view_type"');
  expect(await names("/creator/v2/meta/acme/inventory/forms")).toContain('"Feedback","type":2');
  expect(await names("/creator/v2/meta/acme/inventory/reports")).toContain('"Stock_Chart"');
  expect(await names("/creator/v2/meta/acme/inventory/pages")).toContain('"Overview"');
  expect(await names("/creator/v2/meta/acme/inventory/form/Products/fields")).toContain('"choices"');
  for (const [kind, code] of Object.entries({ forms: 3910, pages: 3920, reports: 3930 })) {
    expect(await names(`/creator/v2/meta/acme/empty/${kind}`)).toContain(`"code":${code}`);
  }
});
