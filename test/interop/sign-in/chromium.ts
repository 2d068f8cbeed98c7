// People with a real browser. Each has a profile of its own, so that cookies of one are not those of another.
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from "playwright-core";
import { launchChromium } from "../../support/chromium";

/** A page of a chain that leads nowhere. */
const PAGE_MS = 15_000;
const MOST_PAGES = 12;
const BUTTON = /^(Continue|Sign in with a passkey|Sign in)\b/;

export class Chromium implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<Chromium> {
    return new Chromium(await launchChromium());
  }

  async person(name: string, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await this.#browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
    return new Person(name, context, await context.newPage());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

export class Person implements AsyncDisposable {
  readonly name: string;
  readonly context: BrowserContext;
  readonly page: Page;

  constructor(name: string, context: BrowserContext, page: Page) {
    this.name = name;
    this.context = context;
    this.page = page;
  }

  /**
   * Opens an authorization address, and goes through every page as the person until the browser is sent to `redirectUri`.
   * Returns that address with its query; whether somebody listens there does not matter.
   */
  async allow(
    address: string,
    redirectUri: string,
    answer: "Allow" | "Do not allow" = "Allow",
  ): Promise<string> {
    const arrived = Promise.withResolvers<Request>();
    const isBack = (url: string): boolean => url === redirectUri || url.startsWith(`${redirectUri}?`);
    const watch = (request: Request): void => {
      if (request.isNavigationRequest() && isBack(request.url())) arrived.resolve(request);
    };
    this.page.on("request", watch);
    try {
      await this.page.goto(address).catch((error: unknown) => this.#unlessRefused(error));
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const back = await Promise.race([arrived.promise, this.#step(answer)]);
        if (back === undefined) continue;
        await this.#settled(back);
        return back.url();
      }
      throw new Error(
        `the pages do not end: ${this.page.url()} ${await this.page.locator("body").innerText()}`,
      );
    } finally {
      this.page.off("request", watch);
    }
  }

  /** Opens the address of a consent, signs in, and consents at the provider, until our page says that it is done. */
  async consent(address: string): Promise<void> {
    const done = this.page.getByRole("heading", { name: /Connected|is linked|are linked/ });
    await this.page.goto(address);
    for (let pages = 0; pages < MOST_PAGES && !(await done.isVisible()); pages++)
      await Promise.race([done.waitFor({ timeout: PAGE_MS }), this.#step("Allow")]);
    await done.waitFor({ timeout: PAGE_MS });
  }

  /** Without a listener, the browser shows its own page some time after the request: it would interrupt what comes next. */
  async #settled(request: Request): Promise<void> {
    if ((await request.response()) !== null) return;
    const isShown = (): boolean => this.page.url().startsWith("chrome-error:");
    while (!isShown()) await this.page.waitForEvent("framenavigated", { timeout: PAGE_MS });
  }

  // The loopback address of a client may have no listener.
  #unlessRefused(error: unknown): void {
    if (
      !(error instanceof Error) ||
      !/ERR_CONNECTION_REFUSED|ERR_ABORTED|ERR_UNSAFE_PORT/.test(error.message)
    )
      throw error;
  }

  /** One page: the identity provider's form, our button for a passkey, or our question. */
  async #step(answer: "Allow" | "Do not allow"): Promise<void> {
    const { page } = this;
    const login = page.locator('input[name="login"]');
    const button = page.getByRole("button", { name: BUTTON });
    const question = page.getByRole("button", { name: answer, exact: true });
    await question.or(login).or(button).first().waitFor({ timeout: PAGE_MS });
    const before = page.url();
    await this.#press(answer);
    // The last page leads to an address that may not answer, and the caller does not wait for it.
    await page.waitForURL((url) => url.href !== before, { waitUntil: "commit" }).catch(() => undefined);
  }

  async #press(answer: string): Promise<void> {
    const { page } = this;
    const login = page.locator('input[name="login"]');
    const button = page.getByRole("button", { name: BUTTON });
    const question = page.getByRole("button", { name: answer, exact: true });
    if (await question.isVisible()) return question.click({ noWaitAfter: true });
    // Among the people whom a provider offers.
    const own = page.getByRole("button", { name: `Continue as ${this.name}`, exact: true });
    if (await own.isVisible()) return own.click({ noWaitAfter: true });
    if (await login.isVisible()) {
      await login.fill(this.name);
      await page.locator('input[name="password"]').fill("any");
      return page.locator('[type="submit"]').first().click({ noWaitAfter: true });
    }
    await button.first().click({ noWaitAfter: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
