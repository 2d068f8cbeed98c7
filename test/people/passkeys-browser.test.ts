// Passkeys in a real browser with virtual authenticators: invitation, sign-in, second device, recovery.
import { expect } from "bun:test";
import { startDevices } from "../support/authenticator";
import { hasChromium, testWith } from "../support/require";
import { startSite } from "../support/site";

testWith("chromium", hasChromium)(
  "an invited person sets a passkey, signs in, adds a device and recovers with a new link",
  async () => {
    await using site = await startSite({ environment: { RUNTIME_SIGN_IN: "passkey" } });
    await using devices = await startDevices();
    const { invitations, passkeys, sessions, identity } = site.runtime;
    const operator = await identity.operator("default");
    const alice = { projectId: "default", userId: "alice" };
    const { link = "" } = await invitations.invite(operator, { user_id: "alice", name: "Alice" });
    expect(new URL(link).hostname).toBe("localhost");

    const laptop = await devices.device();
    // The same server by its address: the page moves to the name.
    await laptop.page.goto(link.replace("localhost", "127.0.0.1"));
    expect(new URL(laptop.page.url()).hostname).toBe("localhost");
    expect(await laptop.page.getByRole("definition").allTextContents()).toEqual(["Alice", "alice", "member"]);
    expect(await laptop.page.locator("html").evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(390);
    await laptop.page.getByRole("button", { name: "Set up a passkey" }).click();
    await laptop.page.waitForURL("**/me");

    expect((await passkeys.list(alice)).map(({ name }) => name)).toEqual(["Chrome on Linux"]);
    expect(await sessions.list("default", "alice")).toHaveLength(1);
    const [kept] = await laptop.credentials();
    expect(kept).toMatchObject({ isResidentCredential: true, rpId: "localhost" });

    await laptop.context.clearCookies();
    await laptop.page.goto(`${new URL(link).origin}/sign-in/passkey?to=/docs`);
    await laptop.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await laptop.page.waitForURL(`${new URL(link).origin}/docs`);
    expect(await sessions.list("default", "alice")).toHaveLength(2);
    expect(laptop.complaints.filter((text) => !text.includes("404"))).toEqual([]);
  },
  60_000,
);
