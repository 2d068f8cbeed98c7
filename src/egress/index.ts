// Outbound HTTP: the only code that calls out.
export { createEgress, type EgressOptions } from "./client";
export { type Proxy, proxyFromEnvironment, type ProxySettings } from "./proxy";
export { readJson } from "./read-json";
export type { Resolve } from "./resolver";
export { type Egress, type EgressCause, EgressError, type EgressRequest, type TlsOptions } from "./types";
