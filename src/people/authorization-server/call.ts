// A request to the authorization server, and its answer, without a socket.

export interface Call {
  method: "GET" | "POST";
  /** Below `public_url`. */
  path: string;
  /** With its question mark; empty without a query. */
  search: string;
  /** Those that the endpoints read. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
  /** Of the client. */
  address: string | undefined;
  /** The interaction that this browser has answered. */
  resume: string | undefined;
}

export interface CallAnswer {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** The body is an error for people: a JSON object with `error` and perhaps `error_description`. */
  isErrorPage: boolean;
  /** The interaction that the answer redirects to. */
  interaction: string | undefined;
}
