// Whom a connection with TLS trusts, and as whom it presents itself.
import { reveal } from "../base";
import type { Target } from "./target";
import type { TlsOptions } from "./types";

export interface Trust {
  /** The name that the certificate must have; absent: the address. */
  name?: string;
  /** PEM of the authorities; absent: the defaults. */
  ca?: string[];
  /** The client certificate and its key, as text. */
  cert?: string;
  key?: string;
}

/** `authorities`: those of the deployment; undefined: the defaults. */
export function trustOf(
  target: Target,
  tls: TlsOptions | undefined,
  authorities: string[] | undefined,
): Trust {
  const ca = tls?.ca === undefined ? authorities : [tls.ca];
  return {
    ...(target.literal === undefined ? { name: target.host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(tls?.cert === undefined || tls.key === undefined
      ? {}
      : { cert: reveal(tls.cert), key: reveal(tls.key) }),
  };
}
