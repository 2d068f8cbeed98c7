// Pages for browsers that a catalog adds to the server: data, and handlers that get what they need.
import type { CallbackCheck, PageAuthorizationRequest } from "../authorization";
import type { Provider } from "../providers";

export interface CatalogPage {
  method: "GET" | "POST";
  path: string;
  handle(context: PageContext): Response | Promise<Response>;
}

/** Takes the callbacks at providers' redirect addresses whose `state` begins with the prefix; consents get the others. */
export interface CatalogCallback {
  /** Ends with a dot, which no state of a consent contains. */
  statePrefix: string;
  /** `externalId`: the provider's, from the redirect address. */
  handle(context: PageContext, externalId: string): Response | Promise<Response>;
}

/** What a page may use during one request. It never sees a token, a client secret or the browser's cookie. */
export interface PageContext {
  query: URLSearchParams;
  settings: Readonly<Record<string, unknown>>;
  /** The active provider with this well-known id, of any project, that has this client. */
  findProvider(wellKnownId: string, clientId: string): Promise<Provider | undefined>;
  /** Redirects to the provider's authorization endpoint, with a state that is bound to this browser. */
  authorize(provider: Provider, request: PageAuthorizationRequest): Promise<Response>;
  /** Whether a callback belongs to such a redirect. */
  checkCallback(externalId: string, statePrefix: string): Promise<CallbackCheck>;
  /** A whole page. `title` is text, `body` is HTML. `policy`: allowed sources per directive of the content policy. */
  html(status: number, title: string, body: string, options?: HtmlOptions): Response;
  /** Text as HTML text or attribute value. */
  escape(text: string): string;
}

export interface HtmlOptions {
  policy?: Readonly<Record<string, readonly string[]>>;
  headers?: Readonly<Record<string, string>>;
}
