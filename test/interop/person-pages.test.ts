// The pages of people in a real browser, on the screen of a phone and without scripts: a consent begun at the address of a
// gateway, and its end at /me.
import { expect } from "bun:test";
import { type BrowserContext, type Page } from "playwright-core";
import { addPasskey, allowClient, PEOPLE, signInBrowser } from "../server/person";
import { api } from "../support/api";
import { hasChromium, testWith } from "../support/require";
import { type Site, startSite } from "../support/site";
import { launchChromium } from "../support/chromium";

const LONG = "a-client-with-a-name-that-has-no-place-to-break-".repeat(4);

async function signIn(context: BrowserContext, site: Site, user: string): Promise<void> {
  const [name = "", value = ""] = (await signInBrowser(site, user)).cookie.split("=", 2);
  await context.addCookies([{ name, value, url: site.runtime.core.publicUrl() }]);
}

/** Nothing is wider than the screen, and what is focused is visible. */
async function expectFits(page: Page): Promise<void> {
  expect(await page.locator("html").evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(390);
  const folder = process.env["RUNTIME_TEST_SCREENSHOTS"];
  const name = (await page.title()).replaceAll(/\W+/g, "-");
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

testWith("chromium", hasChromium)(
  "a person consents at the address of a gateway and ends it at /me, without scripts at 390 pixels",
  async () => {
    await using site = await startSite({ environment: PEOPLE });
    await site.addChatProvider();
    const operator = await site.runtime.identity.operator("default");
    const { id } = await site.runtime.gateways.create(operator, {
      name: "Support",
      slug: "support",
      auth_type: "arcade_header",
      description: "Answers customers",
      tool_filter: { allowed_tools: ["Chat.SendMessage"] },
    });
    await allowClient(site, { userId: "alice", name: LONG, gateway: id });
    const browser = await launchChromium();
    try {
      const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        javaScriptEnabled: false,
        colorScheme: "dark",
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      const own = site.runtime.core.publicUrl();

      await page.goto(`${own}/mcp/support`);
      await page.getByRole("heading", { name: "An MCP gateway" }).waitFor();
      await expectFits(page);

      await signIn(context, site, "alice");
      await addPasskey(site, "alice", LONG.slice(0, 100));
      await page.goto(`${own}/mcp/support`);
      await page.getByRole("heading", { name: "Support", exact: true }).waitFor();
      await expectFits(page);
      await page.getByRole("button", { name: "Give consent at Team chat (sandbox)" }).click();
      await page.getByRole("button", { name: "Continue as alice" }).click();
      await page.getByText("Done: nothing is missing.").waitFor();
      expect(page.url()).toBe(`${own}/mcp/support`);

      const agent = api(site.url, await site.key("run"));
      await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
      await page.getByRole("link", { name: "What acts for you" }).click();
      await page.getByRole("heading", { name: "What acts for you" }).waitFor();
      await expectFits(page);
      // By the keyboard alone.
      await page.getByRole("button", { name: "Disconnect Team chat (sandbox)" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Disconnect Team chat (sandbox)?" }).waitFor();
      await expectFits(page);
      await page.getByRole("button", { name: "Yes, disconnect Team chat (sandbox)" }).click();
      await page.getByRole("status").getByText("Disconnected.").waitFor();
      expect(await page.getByText("You have no connections.").count()).toBe(1);

      await page.getByRole("button", { name: `Revoke ${LONG} at Support` }).click();
      await page.getByRole("link", { name: "No, keep it" }).click();
      expect(await page.getByRole("region").count()).toBe(6);
      await page.getByRole("button", { name: "Sign out of this browser" }).click();
      await page.getByRole("heading", { name: "You are signed out" }).waitFor();
      expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  60_000,
);
