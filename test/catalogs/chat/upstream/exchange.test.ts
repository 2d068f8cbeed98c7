// How a call looks on the wire.
import { expect, test } from "bun:test";
import { exchange } from "../../../../catalogs/chat/upstream/exchange";
import { Connection } from "../run";
import { Stub } from "../stub";

async function sent(params: Parameters<typeof exchange>[2]) {
  await using stub = new Stub().on("users.list", {});
  const context = new Connection(stub.apiUrl).context();
  await exchange(context, "users.list", params, { signal: context.signal });
  const [request] = stub.requests;
  if (request === undefined) throw new Error("Nothing was sent.");
  return request;
}

test("a call is a form POST with the token in the header", async () => {
  const request = await sent({ user: "U1" });
  expect(request.verb).toBe("POST");
  expect(request.headers.get("content-type")).toStartWith("application/x-www-form-urlencoded");
  expect(request.headers.get("authorization")).toBe("Bearer xoxp-test");
  expect(request.body).toBe("user=U1");
});

test("booleans are lower case, lists comma-separated, numbers decimal", async () => {
  const { params } = await sent({ return_im: true, inclusive: false, users: ["U1", "U2"], limit: 200 });
  expect(params).toEqual({ return_im: "true", inclusive: "false", users: "U1,U2", limit: "200" });
});

test("what is absent or empty is not sent", async () => {
  const { body } = await sent({ cursor: undefined, team_id: "", types: [] });
  expect(body).toBe("");
});

test("a cursor with = at the end arrives unchanged", async () => {
  const { params } = await sent({ cursor: "bmV4dDo0MDE=" });
  expect(params["cursor"]).toBe("bmV4dDo0MDE=");
});
