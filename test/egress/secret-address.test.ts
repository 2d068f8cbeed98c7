// An address with a secret: sent, logged without it, and only at the origin that is named with it.
import { expect, test } from "bun:test";
import { secretTarget } from "../../src/egress/target";

const shown = new URL("https://h.example/s/KEY/mcp");

test("is the target, and logs have the other one", () => {
  const { url, shown: logged } = secretTarget(shown, "https://h.example/s/x-CANARY/mcp");
  expect([url.href, logged]).toEqual(["https://h.example/s/x-CANARY/mcp", shown]);
});

test.each(["https://other.example/mcp", "http://h.example/mcp", "https://h.example:8443/mcp", "nothing"])(
  "is refused at another origin, without repeating it: %s",
  (address) => {
    const attempt = () => secretTarget(shown, `${address}?CANARY`);
    expect(attempt).toThrow();
    expect(attempt).not.toThrow(/CANARY/);
  },
);
