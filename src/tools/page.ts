// Browser pages that a catalog adds to the server: data and handlers.
import type { CallbackCheck, PageAuthorizationRequest, PageExchange } from "../authorization";
import type { Provider } from "../providers";

export interface CatalogPage {
  method: "GET" | "POST";
  path: string;
  handle(context: PageContext): Response | Promise<Response>;
}

/** Handles callbacks at providers' redirect URIs whose `state` starts with the prefix; consents handle the others. */
export interface CatalogCallback {
  /** Ends with a dot, which the state of a consent never contains. */
  statePrefix: string;
  /** `externalId`: the provider's, from the redirect URI. */
  handle(context: PageContext, externalId: string): Response | Promise<Response>;
}

/** What a page may use during a request. It has no access to tokens, client secrets and the browser's cookie. */
export interface PageContext {
  query: URLSearchParams;
  settings: Readonly<Record<string, unknown>>;
  /** The active provider with this well-known id, of any project, that has this client. */
  findProvider(wellKnownId: string, clientId: string): Promise<Provider | undefined>;
  /** What people call the application of this provider's project. */
  applicationOf(provider: Provider): Promise<string>;
  /** Redirects to the provider's authorization endpoint, with a state that is bound to this browser. */
  authorize(provider: Provider, request: PageAuthorizationRequest): Promise<Response>;
  /** Whether a callback belongs to such a redirect. */
  checkCallback(externalId: string, statePrefix: string): Promise<CallbackCheck>;
  /** Exchanges the code of a valid callback and drops the tokens, if the redirect asked for it. */
  exchangeCode(externalId: string, statePrefix: string): Promise<PageExchange>;
  /** A whole page. `title` is text, `body` is HTML. `policy`: allowed sources per directive of the CSP. */
  html(status: number, title: string, body: string, options?: HtmlOptions): Response;
  /** Escapes text for HTML and attribute values. */
  escape(text: string): string;
}

export interface HtmlOptions {
  policy?: Readonly<Record<string, readonly string[]>>;
  headers?: Readonly<Record<string, string>>;
}
