// Pages of other origins in a real browser: one that may call the API and one that may not.
import { expect } from "bun:test";
import { type Browser } from "playwright-core";
import { hasChromium, testWith } from "../support/require";
import { startSite } from "../support/site";
import { launchChromium } from "../support/chromium";

/** An application on its own origin: an empty page. */
const application = () =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>app</title>", { headers: { "content-type": "text/html" } }),
  });

interface Seen {
  status: number;
  name: string | undefined;
  requestId: string | null;
}

/** What a script of the page can read of a call with a body and a key, after the browser's preflight. */
async function calling(
  browser: Browser,
  origin: string,
  url: string,
  key: string,
): Promise<Seen | "blocked"> {
  const page = await browser.newPage();
  await page.goto(origin);
  const seen = await page.evaluate(
    async ({ url: address, key: credential }) => {
      try {
        const response = await fetch(`${address}/v1/tools/authorize`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${credential}`,
            "content-type": "application/json",
            "x-own": "1",
          },
          body: JSON.stringify({ tool_name: "Chat.WhoAmI", user_id: "alice" }),
        });
        const { name } = Object(await response.json());
        return { status: response.status, name, requestId: response.headers.get("x-request-id") };
      } catch {
        return "blocked" as const;
      }
    },
    { url, key },
  );
  await page.close();
  return seen;
}

testWith("chromium", hasChromium)(
  "an allowed page reads answers and errors; another page reads nothing and causes no call [fault: preflight]",
  async () => {
    using mine = application();
    using theirs = application();
    await using site = await startSite({ environment: { RUNTIME_CORS_ALLOW: mine.url.origin } });
    await site.addChatProvider();
    const key = await site.key("run");
    const browser = await launchChromium();
    try {
      const allowed = await calling(browser, mine.url.origin, site.url, key);
      const refused = await calling(browser, mine.url.origin, site.url, "wrong");
      const before = site.logLines.filter((line) => line.includes('"method":"POST"')).length;
      const foreign = await calling(browser, theirs.url.origin, site.url, key);

      expect(allowed).toEqual({ status: 200, name: undefined, requestId: expect.any(String) });
      expect(refused).toEqual({ status: 401, name: "invalid_authorization", requestId: expect.any(String) });
      expect(foreign).toBe("blocked");
      expect(site.logLines.filter((line) => line.includes('"method":"POST"'))).toHaveLength(before);
    } finally {
      await browser.close();
    }
  },
  60_000,
);
