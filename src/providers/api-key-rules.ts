// Rules for `api_key` beyond its schema. Each error names the field.
import { fieldErrors } from "../base";
import { type FieldError, malformedRequest } from "../errors";
import { originOf } from "../origins";
import { addressFault } from "./address";
import { ApiKeyConfig } from "./api-key-schema";

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that the connection sets (RFC 9110, section 7.6.1), or that decide where a request goes. */
const RESERVED_HEADER =
  /^(?:accept|connection|content-(?:length|type|encoding)|cookie2?|host|keep-alive|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;
/** Visible ASCII and spaces: what a header may hold (RFC 9110, section 5.5). */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

/** Throws `malformed_request` with all errors. */
export function checkApiKey(given: unknown): void {
  const incomplete = fieldErrors(ApiKeyConfig, given).map((error) => ({
    ...error,
    field: `api_key.${error.field}`,
  }));
  // The schema was checked.
  const errors = incomplete.length > 0 ? incomplete : faultsOf(given as ApiKeyConfig);
  if (errors.length === 0) return;
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  throw malformedRequest(`failed to validate request body: ${list}`, { fieldErrors: errors });
}

function faultsOf(config: ApiKeyConfig): FieldError[] {
  return [...placeFaults(config), ...addressFaults(config), ...testFaults(config)];
}

function placeFaults({ location, name, prefix }: ApiKeyConfig): FieldError[] {
  const fault = (field: string, message: string): FieldError[] => [
    { field: `api_key.${field}`, rule: "format", message },
  ];
  if (location === "basic" && (name ?? prefix) !== undefined)
    return fault(name === undefined ? "prefix" : "name", "has no effect with the location basic");
  if ((location === "query" || location === "cookie") && name === undefined)
    return fault("name", `is required for the location ${location}`);
  if (name !== undefined && location !== "query" && !HEADER_NAME.test(name))
    return fault("name", "is not a valid name in HTTP");
  if (name !== undefined && location === "header" && RESERVED_HEADER.test(name))
    return fault("name", "is set by the protocol");
  if (prefix !== undefined && !HEADER_TEXT.test(prefix))
    return fault("prefix", "has characters that are not valid in a header");
  return [];
}

function addressFaults({ addresses = [], help_url, help = "" }: ApiKeyConfig): FieldError[] {
  const faults = addresses.flatMap((address, index) => uriFault(`addresses.${index}`, address));
  const unsafe = help_url === undefined ? [] : uriFault("help_url", help_url);
  // Lines are kept on the page.
  const hidden = /\p{Cc}/u.test(help.replaceAll(/[\t\r\n]/g, ""))
    ? [{ field: "api_key.help", rule: "format", message: "must not contain control characters" }]
    : [];
  return [...faults, ...unsafe, ...hidden];
}

function testFaults({ test, addresses = [] }: ApiKeyConfig): FieldError[] {
  if (test === undefined) return [];
  const fault = uriFault("test.url", test.url);
  if (fault.length > 0) return fault;
  const origin = originOf(test.url);
  if (addresses.some((address) => originOf(address) === origin)) return [];
  const message = "is not at one of api_key.addresses, so keys must not be sent there";
  return [{ field: "api_key.test.url", rule: "origin", message }];
}

function uriFault(field: string, address: string): FieldError[] {
  const message = address.includes("{{") ? "must not contain placeholders" : addressFault(address);
  return message === undefined ? [] : [{ field: `api_key.${field}`, rule: "uri", message }];
}
