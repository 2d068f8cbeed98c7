// The header with which a worker is told who calls.
import { Redacted } from "../../base";
import type { Audience, OnBehalf, SignIdentity } from "./token";

export const DEFAULT_HEADER = "X-Runtime-Identity";

/** Of a worker whose record has `identity: jwt`. */
export interface WorkerIdentity {
  /** In lower case. */
  header: string;
  /** The header with a new token; without a user for requests that belong to none. */
  headers(on?: OnBehalf): Promise<Readonly<Record<string, Redacted>>>;
}

export function workerIdentity(sign: SignIdentity, worker: Audience, header: string): WorkerIdentity {
  const name = header.toLowerCase();
  return {
    header: name,
    headers: async (on) => {
      const token = await sign(worker, on);
      return { [name]: name === "authorization" ? new Redacted(`Bearer ${token.reveal()}`) : token };
    },
  };
}

/** What else to check if a worker refuses a request; empty for one that is not told who calls. */
export function identityAdvice({ identity }: { identity?: WorkerIdentity }): string {
  if (identity === undefined) return "";
  return ` If it refuses the token in ${identity.header}: check the issuer (public_url) and the audience (its address in the record) that it expects.`;
}

/** None for a worker that is not told who calls. */
export async function identityHeaders(
  { identity }: { identity?: WorkerIdentity },
  on?: OnBehalf,
): Promise<Readonly<Record<string, Redacted>>> {
  return identity === undefined ? {} : identity.headers(on);
}
