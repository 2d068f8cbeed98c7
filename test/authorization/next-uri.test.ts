// Rules for next_uri, where a consent ends.
import { describe, expect, test } from "bun:test";
import { checkNextUri } from "../../src/authorization/next-uri";
import { RuntimeError } from "../../src/errors";

describe("next_uri may be", () => {
  test.each([
    ["https://app.example/done?x=1#y", "https://app.example/done?x=1#y"],
    ["http://localhost:3000/", "http://localhost:3000/"],
    ["HTTPS://App.Example", "https://app.example/"],
    ["https://app.example/a/../b", "https://app.example/b"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://app.example/?next=https://evil.example", "https://app.example/?next=https://evil.example"],
  ])("%s", (given, expected) => {
    expect(checkNextUri(given, [])).toBe(expected);
  });
});

const NEVER: string[] = [
  "",
  "/done",
  "done",
  "//evil.example",
  "///evil.example",
  "\\\\evil.example",
  "https:evil.example",
  "https:/evil.example",
  "https://",
  "https:///",
  "https:\\\\evil.example",
  "https://app.example\\@evil.example",
  "https://app.example\\.evil.example",
  "http:// evil.example",
  "https://app.example/\r\nSet-Cookie: x=1",
  "https://app.example/\nx",
  "https://app.example/\tx",
  "https://app.example/\u2028x",
  " https://app.example",
  "https://app.example ",
  "\u0000https://app.example",
  "javascript:alert(1)",
  "JaVaScRiPt://app.example/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://app.example/x",
  "ftp://app.example",
  "ws://app.example",
  "myapp://done",
  "view-source:https://app.example",
  "https://user@app.example",
  "https://user:password@app.example",
  "https://:password@app.example",
  "https://app.example@evil.example",
  "https://app.example:443@evil.example/",
  "https://app.example:99999/",
  "https://[::1",
  "https://%00.example",
  "https://app.example%2f@evil.example",
];

describe("next_uri is never", () => {
  test.each(NEVER.map((text) => [JSON.stringify(text), text]))("%s", (_shown, text) => {
    expect(() => checkNextUri(text, [])).toThrow(RuntimeError);
  });
});

describe("pinned to origins, next_uri", () => {
  const pinned = ["app.example", "https://app.example:8443", "http://127.0.0.1:3000"];

  test.each([
    "https://app.example/done",
    "https://APP.example:8443/",
    "http://127.0.0.1:3000/",
    "http://2130706433:3000/",
    "https://app.example:443/",
  ])("may be %s", (text) => {
    expect(checkNextUri(text, pinned)).toStartWith("http");
  });

  test.each([
    "https://evil.example/",
    "https://app.example.evil.example/",
    "https://evil-app.example/",
    "https://sub.app.example/",
    "https://app.example./",
    "https://evil.example/app.example",
    "https://evil.example?app.example",
    "https://evil.example#app.example",
    "https://аpp.example/",
    "http://127.0.0.2:3000/",
    "http://127.0.0.1/",
    "http://127.0.0.1:3001/",
    "https://127.0.0.1:3000/",
    "http://app.example/",
    "https://app.example:444/",
    "http://app.example:443/",
  ])("is not %s", (text) => {
    expect(() => checkNextUri(text, pinned)).toThrow("redirects.allow");
  });

  test("is compared with the setting without regard to case", () => {
    expect(checkNextUri("https://app.example/", ["App.Example"])).toBe("https://app.example/");
  });
});
