// The page of the API description in a real browser that can reach this server only.
import { describe, expect, test } from "bun:test";
import { contractOperations as operations } from "../../server/operations";
import { hasChromium, testWith } from "../support/require";
import { startOwn } from "./own";
import { launchChromium } from "../support/chromium";

testWith("chromium", hasChromium)(
  "the page shows every operation, asks no other host and complains of nothing",
  async () => {
    await using own = await startOwn([]);
    const browser = await launchChromium(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]);
    try {
      const page = await browser.newPage();
      const requested: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => complaints.push(error.message));

      await page.goto(`${own.url}/v1/swagger`);
      await page
        .locator(".opblock")
        .nth(operations.length - 1)
        .waitFor();
      await page.locator("#operations-Tools-tool-execute").click();
      await page.getByText("Idempotency-Key").first().waitFor();

      expect(page.url()).toBe(`${own.url}/v1/swagger/ui`);
      expect(await page.locator(".opblock").count()).toBe(operations.length);
      expect(await page.locator(".errors-wrapper").count()).toBe(0);
      const foreign = requested.filter((url) => !url.startsWith(`${own.url}/`) && !url.startsWith("data:"));
      expect(foreign).toEqual([]);
      expect(complaints.filter((line) => !line.startsWith("info"))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  60_000,
);

testWith("chromium", hasChromium)(
  "the page is dark for people who prefer that, and as wide as a phone",
  async () => {
    await using own = await startOwn([]);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
      await page.goto(`${own.url}/v1/swagger/ui`);
      await page.locator("#operations-Tools-tool-execute .opblock-summary-control").click();
      await page.locator("#operations-Tools-tool-execute .responses-table").waitFor();
      const background = () =>
        page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
      const width = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => element.getBoundingClientRect().width);

      expect(await background()).toBe("rgb(28, 32, 34)");
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
      // The description of a group was a column of one word.
      expect(await width(".opblock-tag small")).toBeGreaterThan(300);

      await page.emulateMedia({ colorScheme: "light" });
      await page.locator("html:not(.dark-mode)").waitFor();
      expect(await background()).not.toBe("rgb(28, 32, 34)");
    } finally {
      await browser.close();
    }
  },
  60_000,
);

describe("the files of the page", () => {
  test("are those of swagger-ui, packed", async () => {
    await using own = await startOwn([]);
    for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"]) {
      const answer = await fetch(`${own.url}/v1/swagger/ui/${name}`);
      const original = await Bun.file(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)).text();

      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect((await answer.text()) === original).toBe(true);
    }
  });

  test("do not include others", async () => {
    await using own = await startOwn([]);
    for (const name of ["index.html", "constructor", "..%2Fdocs.ts", "swagger-ui.css.map"]) {
      expect((await fetch(`${own.url}/v1/swagger/ui/${name}`)).status).toBe(404);
    }
  });

  test("may load from this server only, and cannot be framed", async () => {
    await using own = await startOwn([]);
    const page = await fetch(`${own.url}/v1/swagger/ui`);
    const policy = page.headers.get("content-security-policy") ?? "";

    expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
    for (const rule of [
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
      expect(policy).toContain(rule);
    expect(await page.text()).not.toContain("//");
  });
});
