// The names of errors that a server may answer. Exit codes follow them.
import type { ErrorName } from "../../src/errors";

const KNOWN: { readonly [N in ErrorName]: true } = {
  malformed_request: true,
  tool_requirements_not_met: true,
  user_mismatch: true,
  tool_not_found: true,
  already_exists: true,
  read_only: true,
  invalid_parameter: true,
  unsupported_format: true,
  idempotency_mismatch: true,
  invalid_authorization: true,
  forbidden: true,
  route_not_found: true,
  not_found: true,
  conflict: true,
  request_too_large: true,
  unsupported_media_type: true,
  rate_limited: true,
  internal_error: true,
  gateway_timeout: true,
  configuration: true,
  unavailable: true,
};

const BY_STATUS: { readonly [status: number]: ErrorName } = {
  401: "invalid_authorization",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
  504: "gateway_timeout",
};

/** The name, or for one that this version does not know what its status says. */
export function statusName(name: string, status: number): ErrorName {
  return isKnown(name)
    ? name
    : (BY_STATUS[status] ?? (status < 500 ? "malformed_request" : "internal_error"));
}

function isKnown(name: string): name is ErrorName {
  return Object.hasOwn(KNOWN, name);
}
