// Pages and callbacks that a catalog declares.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Catalog } from "../../src/tools";
import { Browser } from "../support/browser";
import { type Own, startOwn } from "./own";

const CLIENT = "client of the page";

function catalogWith(name: string, statePrefix: string): Catalog {
  return {
    toolkit: { name, description: name, version: "1.0.0" },
    bases: {},
    pages: [
      {
        method: "GET",
        path: `/${name}/start`,
        handle: async (context) => {
          const provider = await context.findProvider("google", CLIENT);
          if (provider === undefined) throw new TypeError("s3cr3t inside of the page");
          return context.authorize(provider, { statePrefix, params: { marker: name }, scopes: [] });
        },
      },
    ],
    callback: {
      statePrefix,
      handle: async ({ html, escape, checkCallback }, externalId) =>
        html(200, name, escape(`<${await checkCallback(externalId, statePrefix)}>`)),
    },
    tools: [],
  };
}

let own: Own;
beforeAll(async () => {
  own = await startOwn([catalogWith("one", "one."), catalogWith("two", "two.")]);
});
afterAll(() => own[Symbol.asyncDispose]());

test("an error in a page is an internal error that repeats nothing of it", async () => {
  const answer = await fetch(`${own.url}/one/start`);

  expect(answer.status).toBe(500);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-z]{20}$/);
  expect(await answer.text()).not.toContain("s3cr3t");
});

test("a page takes only its method", async () => {
  const answer = await fetch(`${own.url}/one/start`, { method: "POST" });

  expect([answer.status, answer.headers.get("allow")]).toEqual([404, "GET, HEAD, OPTIONS"]);
});

test("a callback goes to the catalog whose page sent the browser away, and is valid only there", async () => {
  const operator = await own.runtime.identity.operator("default");
  const oauth2 = { client_id: CLIENT, client_secret: "secret" };
  await own.runtime.providers.create(operator, { id: "google", provider_id: "google", oauth2 });
  const browser = new Browser();
  const away = new URL((await browser.open(`${own.url}/one/start`)).headers.get("location") ?? "");
  const { redirect_uri } = (await own.runtime.providers.get(operator, "google")).oauth2 ?? {};
  const state = away.searchParams.get("state") ?? "";
  const back = async (given: string) =>
    (await browser.open(`${redirect_uri}?code=c&state=${encodeURIComponent(given)}`)).text();

  expect(away.searchParams.get("marker")).toBe("one");
  expect(await back(state)).toContain("<h1>one</h1>&lt;valid&gt;");
  expect(await back(state.replace("one.", "two."))).toContain("<h1>two</h1>&lt;unknown&gt;");
  expect(await back(state.replace("one.", "three."))).toContain("This did not work");
});
