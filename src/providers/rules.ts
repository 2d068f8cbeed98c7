// Rules for provider records beyond their schema. Each error names the field.
import { fieldErrors } from "../base";
import { type FieldError, malformedRequest } from "../errors";
import { addressFault, issuerFault } from "./address";
import { parseExpression } from "./expression";
import { OAuth2Create, type GivenOAuth2, type RequestConfig } from "./schema";
import { hasUnknownPlaceholder, PLACEHOLDERS } from "./template";

const REQUESTS = [
  "authorize_request",
  "token_request",
  "refresh_request",
  "user_info_request",
  "token_introspection_request",
  "revoke_request",
] as const;

// The placeholder is not repeated, because it may be a secret that was put in braces by mistake.
const UNKNOWN_PLACEHOLDER = `has an unknown placeholder; use ${PLACEHOLDERS.join(", ")}`;

/**
 * Throws `malformed_request` with all errors. `hasPreset`: the requests may be missing. `meant`: the well-known provider whose
 * id is close to the given one.
 */
export function checkOAuth2(oauth2: GivenOAuth2, hasPreset: boolean, meant?: string): void {
  const incomplete = fieldErrors(OAuth2Create, oauth2).map((error) => ({
    ...error,
    field: `oauth2.${error.field}`,
  }));
  // After a patch, fields may be missing that the other rules need.
  const errors =
    incomplete.length > 0
      ? incomplete
      : [
          ...(hasPreset ? [] : missingRequests(oauth2, meant)),
          ...checkIssuer(oauth2.issuer),
          ...checkResource(oauth2.resource),
          ...REQUESTS.flatMap((name) => checkRequest(name, oauth2[name])),
        ];
  if (errors.length === 0) return;
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  throw malformedRequest(`failed to validate request body: ${list}`, { fieldErrors: errors });
}

function missingRequests(oauth2: GivenOAuth2, meant: string | undefined): FieldError[] {
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  return (["authorize_request", "token_request"] as const)
    .filter((name) => oauth2[name] === undefined)
    .map((name) => ({
      field: `oauth2.${name}`,
      rule: "required",
      message: `is required for a provider without a well-known provider_id${hint}`,
    }));
}

function checkIssuer(issuer: string | undefined): FieldError[] {
  const message = issuer === undefined ? undefined : issuerFault(issuer);
  return message === undefined ? [] : [{ field: "oauth2.issuer", rule: "uri", message }];
}

/** RFC 8707, section 2. It becomes a template, which must not contain placeholders. */
function checkResource(resource: string | undefined): FieldError[] {
  if (resource === undefined || resource === "") return [];
  if (URL.canParse(resource) && !/[#{}]/.test(resource)) return [];
  const message = "must be an absolute address without a fragment and braces";
  return [{ field: "oauth2.resource", rule: "uri", message }];
}

function checkRequest(name: string, request: RequestConfig | undefined): FieldError[] {
  if (request === undefined) return [];
  const field = `oauth2.${name}`;
  const errors: FieldError[] = [];
  const address = addressFault(request.endpoint);
  if (address !== undefined) errors.push({ field: `${field}.endpoint`, rule: "uri", message: address });
  for (const [place, template] of templatesOf(request)) {
    if (hasUnknownPlaceholder(template))
      errors.push({ field: `${field}.${place}`, rule: "placeholder", message: UNKNOWN_PLACEHOLDER });
  }
  for (const [target, expression] of Object.entries(request.response_map ?? {})) {
    const broken = brokenExpression(expression);
    if (broken !== undefined) {
      errors.push({ field: `${field}.response_map.${target}`, rule: "expression", message: broken });
    }
  }
  return errors;
}

function templatesOf(request: RequestConfig): [string, string][] {
  const params = Object.entries(request.params ?? {}).map(([key, value]): [string, string] => [
    `params.${key}`,
    value,
  ]);
  const format = request.auth_header_value_format;
  return [
    ["endpoint", request.endpoint],
    ...params,
    ...(format === undefined ? [] : [["auth_header_value_format", format] satisfies [string, string]]),
  ];
}

function brokenExpression(text: string): string | undefined {
  try {
    parseExpression(text);
    return undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : "is not a valid expression";
  }
}
