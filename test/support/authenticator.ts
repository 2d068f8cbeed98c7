// Chromium with authenticators that exist in software only (its debugging protocol, domain WebAuthn).
import { type Browser, type BrowserContext, type CDPSession, type Page } from "playwright-core";
import { launchChromium } from "./chromium";

/** A credential as the authenticator keeps it, with its private key. */
export interface KeptCredential {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

export interface Authenticator {
  credentials(): Promise<KeptCredential[]>;
  /** What the person does when the authenticator asks. */
  answers(agrees: boolean): Promise<void>;
}

/** A device: a browser profile of its own, with an authenticator. */
export interface Device extends Authenticator {
  page: Page;
  context: BrowserContext;
  /** What pages and scripts complained about. */
  complaints: string[];
  /** A second authenticator, as one at a USB port. */
  plugIn(): Promise<Authenticator>;
}

export interface Devices extends AsyncDisposable {
  /** A phone. `script`: whether its browser runs scripts. */
  device(options?: { script?: boolean }): Promise<Device>;
}

export async function startDevices(): Promise<Devices> {
  const browser: Browser = await launchChromium();
  return {
    device: async ({ script = true } = {}) => {
      const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        javaScriptEnabled: script,
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      const protocol = await context.newCDPSession(page);
      await protocol.send("WebAuthn.enable");
      const own = await authenticator(protocol, "internal");
      return { page, context, complaints, ...own, plugIn: () => authenticator(protocol, "usb") };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function authenticator(protocol: CDPSession, transport: "internal" | "usb"): Promise<Authenticator> {
  const { authenticatorId } = await protocol.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await protocol.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    answers: async (agrees) => {
      await protocol.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: agrees });
    },
  };
}
