import { describe, expect, test } from "bun:test";
import { openBrowser } from "../../cli/browser";

const ADDRESS = "http://127.0.0.1:9099/authorize/x";

describe("does not open a browser", () => {
  test.each([
    ["without a screen", {}],
    ["on a build machine", { DISPLAY: ":0", CI: "1" }],
    ["at the far end of SSH", { DISPLAY: ":0", SSH_CONNECTION: "1.2.3.4 5 6.7.8.9 22" }],
  ])("%s", (_where, env) => {
    const opened = openBrowser(ADDRESS, env, () => {
      throw new Error("nothing must be started");
    });

    expect(opened).toBe(false);
  });
});

test("ignores a browser that cannot be started", () => {
  const opened = openBrowser(ADDRESS, { DISPLAY: ":0" }, () => {
    throw new Error("no such program");
  });

  expect(opened).toBe(false);
});
