// A consent in a real browser.
import { expect } from "bun:test";
import { api, at } from "../support/api";
import { hasChromium, testWith } from "../support/require";
import { startSite } from "../support/site";
import { launchChromium } from "../support/chromium";

testWith("chromium", hasChromium)(
  "a person consents in a browser and is taken back to the application",
  async () => {
    await using site = await startSite();
    await site.addChatProvider();
    const agent = api(site.url, await site.key("run"));
    using application = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<h1>Welcome back</h1>", { headers: { "content-type": "text/html" } }),
    });
    const next_uri = `http://127.0.0.1:${application.port}/done`;
    const started = await agent.post("/v1/tools/authorize", {
      tool_name: "Chat.WhoAmI",
      user_id: "alice",
      next_uri,
    });

    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      await page.goto(String(at(started.body, "url")));
      await page.getByRole("button", { name: "Continue as alice" }).click();
      await page.getByRole("heading", { name: "Link your account?" }).waitFor();
      expect(await page.getByRole("definition").allTextContents()).toContain("alice");
      // Readable on a phone: nothing is wider than the screen.
      expect(await page.locator("html").evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(390);
      if (process.env["RUNTIME_TEST_SCREENSHOTS"] !== undefined) {
        await page.screenshot({ path: `${process.env["RUNTIME_TEST_SCREENSHOTS"]}/confirm.png` });
      }
      await page.getByRole("button", { name: "Yes, this is me" }).click();
      await page.getByRole("heading", { name: "Welcome back" }).waitFor();
      expect(page.url()).toBe(next_uri);
      expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
    } finally {
      await browser.close();
    }

    const status = await agent.get(`/v1/auth/status?id=${String(at(started.body, "id"))}`);
    expect(at(status.body, "status")).toBe("completed");
    const executed = await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    expect(at(executed.body, "output.value.username")).toBe("alice");
  },
  60_000,
);
