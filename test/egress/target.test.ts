import { expect, test } from "bun:test";
import { egressWith, failureOf, printed } from "./peers";

test.each([
  "ftp://127.0.0.1/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "s3://bucket/key",
  "blob:https://127.0.0.1/x",
  "unix:///run/x.sock",
  "ws://127.0.0.1/",
  "javascript:1",
  "/relative",
  "//127.0.0.1/",
  "127.0.0.1",
  "",
  "https://",
  "https://1.2.3.4.5/",
  "https://[fe80::1%25eth0]/",
  "https://exa mple/",
])("%p is refused", async (url) => {
  const error = await failureOf(egressWith().fetch(url));
  expect([error.reason, error.maybeSent]).toEqual(["address_refused", false]);
});

test.each(["http://CANARY@127.0.0.1/", "http://user:CANARY@127.0.0.1/", "http://:CANARY@127.0.0.1/"])(
  "a user or password in the address is refused and not repeated: %s",
  async (url) => {
    const error = await failureOf(egressWith().fetch(url));
    expect(error.reason).toBe("address_refused");
    expect(printed(error)).not.toContain("CANARY");
  },
);

test.each(["CANARY:pass", "no url CANARY", "https://CANARY host/"])(
  "what cannot be read is not repeated: %s",
  async (url) => {
    expect(printed(await failureOf(egressWith().fetch(url)))).not.toContain("CANARY");
  },
);
