// Outbound HTTP: the only code that sends requests.
export { readAddress } from "./address";
export { isWithin, parseRange } from "./allow-list";
export { createEgress, type EgressOptions, readJson } from "./client";
export { type Proxy, proxyFromEnvironment, type ProxySettings } from "./proxy";
export type { Resolve } from "./resolver";
export { type Egress, type EgressCause, EgressError, type EgressRequest, type TlsOptions } from "./types";
export { retryAfterIn } from "./retry-after";
