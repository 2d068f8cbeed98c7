import { expect, test } from "bun:test";
import { EgressError, readJson } from "../../src/egress";
import { egressWith, webPeer } from "./peers";

test("integers of 19 digits keep every digit", async () => {
  using peer = webPeer(
    () => new Response('{"id":5437018000000123457,"n":12,"f":1.5,"list":[-9007199254740993]}'),
  );
  expect(await readJson(await egressWith().fetch(peer.origin))).toEqual({
    id: "5437018000000123457",
    n: 12,
    f: 1.5,
    list: ["-9007199254740993"],
  });
});

test.each(["<html>CANARY</html>", "", '{"a":', "CANARY"])(
  "%p is a SyntaxError that repeats nothing",
  async (body) => {
    const thrown: unknown = await readJson(new Response(body, { status: 502 })).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(SyntaxError);
    expect(thrown).not.toBeInstanceOf(EgressError);
    expect(String(thrown)).toContain("status 502");
    expect(Bun.inspect(thrown)).not.toContain(">CANARY");
  },
);

test("a byte order mark is not part of JSON", async () => {
  using peer = webPeer(() => new Response(new TextEncoder().encode("\uFEFF{}")));
  expect(await readJson(await egressWith().fetch(peer.origin))).toEqual({});
});
