// Passkeys in a real browser with virtual authenticators: invitation, sign-in, second device, recovery, and what the page says
// when it does not work.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { api, at } from "../support/api";
import { type Device, type Devices, startDevices } from "../support/authenticator";
import { hasChromium, testWith } from "../support/require";
import { type PasskeySite, startPasskeySite } from "./stage";

const TIMEOUT_MS = 60_000;
const inBrowser = testWith("chromium", hasChromium);

let stage: PasskeySite;
let devices: Devices;
beforeAll(async () => {
  stage = await startPasskeySite();
  await stage.site.addChatProvider();
  if (hasChromium) devices = await startDevices();
}, TIMEOUT_MS);
afterAll(async () => {
  if (hasChromium) await devices[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const press = ({ page }: Device, name: string) => page.getByRole("button", { name }).click();
const namesOf = async (userId: string) =>
  (await stage.site.runtime.passkeys.list({ projectId: "default", userId })).map(({ name }) => name);
/** Waits for the sentence of an error. */
async function says({ page }: Device, words: string): Promise<void> {
  const problem = page.getByRole("alert").getByText(words);
  await problem.waitFor();
  expect(await problem.isVisible()).toBe(true);
}
/** Nothing is wider than a phone. */
const fits = ({ page }: Device) =>
  page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth);

async function accept(device: Device, user_id: string): Promise<void> {
  const { link = "" } = await stage.invite({ user_id });
  await device.page.goto(link);
  await press(device, "Set up a passkey");
  await device.page.waitForURL(`${stage.origin}/me`);
}

async function signOut(device: Device): Promise<void> {
  await device.context.clearCookies();
}

async function signIn(device: Device): Promise<void> {
  await device.page.goto(`${stage.origin}/sign-in?to=/docs`);
  await press(device, "Sign in with a passkey");
  await device.page.waitForURL(`${stage.origin}/docs`);
}

describe("in Chromium", () => {
  inBrowser(
    "an invited person sets a passkey and signs in with it, at localhost",
    async () => {
      const { link = "" } = await stage.invite({ user_id: "alice", name: "Alice", role: "approver" });
      const laptop = await devices.device();
      // The same server by its address: the page moves to the name.
      await laptop.page.goto(link.replace("localhost", "127.0.0.1"));
      expect(laptop.page.url()).toBe(link);
      expect(await laptop.page.getByRole("definition").allTextContents()).toEqual([
        "Alice",
        "alice",
        "approver",
      ]);
      expect(await fits(laptop)).toBe(true);
      await laptop.page.getByLabel("Name of this device").fill("My laptop");
      await press(laptop, "Set up a passkey");
      await laptop.page.waitForURL(`${stage.origin}/me`);

      expect(await namesOf("alice")).toEqual(["My laptop"]);
      const [kept] = await laptop.credentials();
      expect(kept).toMatchObject({ isResidentCredential: true, rpId: "localhost" });
      await signOut(laptop);
      await signIn(laptop);
      const [cookie] = (await laptop.context.cookies()).filter(({ name }) => name.includes("session"));
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
      expect(laptop.complaints.filter((text) => !text.includes("404"))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  inBrowser(
    "a signed-in person adds a second device; a lost one is replaced with a new link",
    async () => {
      const laptop = await devices.device();
      await accept(laptop, "bob");
      await laptop.page.goto(`${stage.origin}/sign-in/passkey/new`);
      // The device has one already, so the browser refuses: another authenticator is asked for.
      await press(laptop, "Add a passkey");
      await says(laptop, "This device has a passkey of yours already");
      const key = await laptop.plugIn();
      await laptop.page.getByLabel("Name of this device").fill("Security key");
      await press(laptop, "Add a passkey");
      await laptop.page.waitForURL(`${stage.origin}/me`);
      expect(await namesOf("bob")).toEqual(["Chrome on Linux", "Security key"]);
      expect(await key.credentials()).toHaveLength(1);

      const phone = await devices.device();
      await accept(phone, "bob");
      await signOut(phone);
      await signIn(phone);
      expect(await namesOf("bob")).toHaveLength(3);
    },
    TIMEOUT_MS,
  );

  inBrowser(
    "a removed person is signed out, and the passkey no longer works",
    async () => {
      const laptop = await devices.device();
      await accept(laptop, "carol");
      await stage.site.runtime.invitations.remove(stage.operator, "carol");
      await laptop.page.goto(`${stage.origin}/sign-in/passkey/new`);
      await press(laptop, "Sign in with a passkey");
      await says(laptop, "This passkey is not known in this project");
    },
    TIMEOUT_MS,
  );

  inBrowser(
    "a consent asks for the passkey of its user",
    async () => {
      const agent = api(stage.site.url, await stage.site.key("run"));
      const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "erin" });
      const laptop = await devices.device();
      await accept(laptop, "erin");
      await signOut(laptop);
      await laptop.page.goto(String(at(started.body, "url")));
      await press(laptop, "Continue as bob");
      await press(laptop, "Sign in with a passkey");
      await laptop.page.getByRole("heading", { name: "Connected" }).waitFor();

      const run = { tool_name: "Chat.WhoAmI", user_id: "erin" };
      expect(at((await agent.post("/v1/tools/execute", run)).body, "output.value.username")).toBe("bob");
    },
    TIMEOUT_MS,
  );

  inBrowser(
    "says in sentences what does not work",
    async () => {
      const { link = "" } = await stage.invite({ user_id: "dora" });
      const laptop = await devices.device();
      await laptop.page.goto(`${stage.origin}/sign-in`);
      await press(laptop, "Sign in with a passkey");
      await says(laptop, "this device has no passkey for this address");

      await laptop.page.goto(link);
      await laptop.answers(false);
      await press(laptop, "Set up a passkey");
      await says(laptop, "cancelled, took too long");
      await laptop.answers(true);
      // Nothing was used up.
      await press(laptop, "Set up a passkey");
      await laptop.page.waitForURL(`${stage.origin}/me`);

      await laptop.page.goto(link);
      await laptop.page.getByRole("heading", { name: "This link does not work" }).waitFor();
    },
    TIMEOUT_MS,
  );

  inBrowser(
    "a page without script, and a browser without passkeys, say so",
    async () => {
      const plain = await devices.device({ script: false });
      await plain.page.goto(`${stage.origin}/sign-in`);
      expect(await plain.page.locator("noscript .problem").textContent()).toContain("need JavaScript");
      expect(await plain.page.getByRole("button").count()).toBe(0);

      const old = await devices.device();
      await old.page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
      await old.page.goto(`${stage.origin}/sign-in`);
      await says(old, "This browser cannot use passkeys");
    },
    TIMEOUT_MS,
  );
});
