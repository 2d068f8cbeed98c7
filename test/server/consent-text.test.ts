// What the pages of a consent say to the person who reads them.
import { describe, expect, test } from "bun:test";
import { confirmPage, failedPage, type Parties } from "../../server/pages/consent-text";

const PARTIES: Parties = {
  application: "Acme Support",
  place: "at runtime.example.com",
  provider: "Slack",
  apiKey: undefined,
  scopeWords: { "chat:write": "Send messages as you" },
};

describe("a failed consent", () => {
  test.each([
    [
      "the person said that this is not their account",
      "You said that this is not you. Your account was not linked.",
    ],
    ["the consent was declined at the provider", "You declined at Slack. Your account was not linked."],
    [
      "the signed-in user is not the user of this consent",
      "You are signed in as another user than the one for whom this link was made. Your account was not linked.",
    ],
    [
      "the consent was not finished in time; start a new authorization",
      "You did not finish in time, so this link has expired.",
    ],
    [
      "the user did not grant chat:write, other:<scope>",
      "You did not grant everything that is needed. Missing: Send messages as you; other:&lt;scope&gt;.",
    ],
    ["the provider answered server_error", "The provider answered server_error."],
  ])("because %p says so in the second person", async (reason, words) => {
    const html = await failedPage(reason, PARTIES).text();
    expect(html).toContain(`<p>${words}</p><p>To try again, go back to <b>Acme Support</b>`);
  });
});

describe("the page of the user check", () => {
  const page = (scopes: string[]) =>
    confirmPage(
      {
        kind: "confirm",
        about: { projectId: "default", providerId: "slack" },
        userId: "alice",
        scopes,
        action: "/authorize/x",
        check: "c",
      },
      PARTIES,
    ).text();

  test("shows scopes in words, and those without words by their names", async () => {
    expect(await page(["chat:write", "custom:<read>", "constructor"])).toContain(
      "<ul><li>Send messages as you <small>chat:write</small></li><li>custom:&lt;read&gt;</li><li>constructor</li></ul>",
    );
  });

  test("has words for a consent without scopes", async () => {
    expect(await page([])).toContain("<dd>Know who you are at Slack</dd>");
  });
});
