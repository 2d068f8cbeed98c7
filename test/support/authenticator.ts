// Chromium with authenticators that exist in software only (its debugging protocol, domain WebAuthn).
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "./require";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A credential as the authenticator keeps it, with its private key. */
export interface KeptCredential {
  credentialId: string;
  isResidentCredential: boolean;
  rpId?: string;
  privateKey: string;
  userHandle?: string;
  signCount: number;
}

/** A device: a browser profile of its own, with one authenticator. */
export interface Device {
  page: Page;
  context: BrowserContext;
  /** What pages and scripts complained about. */
  complaints: string[];
  credentials(): Promise<KeptCredential[]>;
  add(credential: KeptCredential): Promise<void>;
  /** What the person does when the authenticator asks. */
  answers(agrees: boolean): Promise<void>;
}

export interface Devices extends AsyncDisposable {
  device(options?: { screen?: { width: number; height: number } }): Promise<Device>;
}

export async function startDevices(): Promise<Devices> {
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  return {
    device: async ({ screen = { width: 390, height: 844 } } = {}) => {
      const context = await browser.newContext({ viewport: screen });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      const protocol: CDPSession = await context.newCDPSession(page);
      await protocol.send("WebAuthn.enable");
      const { authenticatorId } = await protocol.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      return {
        page,
        context,
        complaints,
        credentials: async () =>
          (await protocol.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
        add: async (credential) => {
          await protocol.send("WebAuthn.addCredential", { authenticatorId, credential });
        },
        answers: async (agrees) => {
          await protocol.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: agrees });
        },
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
