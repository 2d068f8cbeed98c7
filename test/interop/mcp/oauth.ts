// What a program gives to the official clients so that they get tokens by themselves: storage for them, and a browser
// in which the person signs in. The client itself finds the metadata, registers, and gets the tokens.
import type { OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type {
  OAuthClientInformationFull,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { signInAs } from "../oidc/sign-in";

const REDIRECT = "http://127.0.0.1/signed-in";

export class OAuthProvider {
  readonly #issuer: string;
  readonly #person: string;
  #client: OAuthClientInformationFull | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;
  #back: Promise<string> | undefined;
  /** The address to which the client sent the browser. */
  readonly visited: URL[] = [];

  constructor(issuer: string, person: string) {
    this.#issuer = issuer;
    this.#person = person;
  }

  /** Parameters of the browser's callback. */
  async signedIn(): Promise<URLSearchParams> {
    if (this.#back === undefined) throw new Error("the client did not open a browser");
    return new URL(await this.#back).searchParams;
  }

  get redirectUrl(): string {
    return REDIRECT;
  }

  get clientMetadata(): OAuthClientMetadata & { application_type: "native" } {
    return {
      client_name: "interop",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    };
  }

  clientInformation(): OAuthClientInformationFull | undefined {
    return this.#client;
  }

  saveClientInformation(client: object): void {
    this.#client = client as OAuthClientInformationFull;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.visited.push(address);
    this.#back = signInAs(this.#issuer, address.href, this.#person);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}
