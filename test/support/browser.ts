// A person's browser, as far as a consent needs one: cookies, redirects, forms.
import { consentAs } from "../sandbox/chat";

const CHECK = /name="check" value="([^"]+)"/;

/** Whether a page has the form on which a person confirms to be the user. */
export async function offersConfirmation(page: Response): Promise<boolean> {
  return CHECK.test(await page.clone().text());
}

export class Browser {
  readonly #cookies = new Map<string, string>();

  /** One request with this browser's cookies; redirects are not followed. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookies = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookies !== "") headers.set("cookie", cookies);
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  /** Opens our address and lets the person decide at the provider; the address of the callback, not yet called. */
  async toCallback(url: string, person: string | "cancel"): Promise<string> {
    const redirect = await this.open(url);
    const provider = redirect.headers.get("location");
    if (redirect.status !== 303 || provider === null)
      throw new Error(`no redirect: ${await redirect.text()}`);
    return consentAs(provider, person);
  }

  /** Presses a button of the page of the user check. */
  async answer(page: Response, origin: string, answer: "yes" | "no"): Promise<Response> {
    const html = await page.text();
    const action = /action="([^"]+)"/.exec(html)?.[1];
    const check = CHECK.exec(html)?.[1];
    if (action === undefined || check === undefined) throw new Error(`no form in: ${html}`);
    return this.open(origin + action, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin },
      body: new URLSearchParams({ check, answer }).toString(),
    });
  }

  /** The whole consent: our address, the provider, the callback, "yes, this is me". */
  async consent(url: string, person: string): Promise<Response> {
    const callback = await this.toCallback(url, person);
    const page = await this.open(callback);
    return this.answer(page, new URL(url).origin, "yes");
  }
}
