// The platform's limits for tokens, with the public source of each row.

const TOKEN_VALIDITY = "https://zohohelp.com/crm/developer/docs/api/v8/token-validity.html";

/** Access tokens of one refresh token. Further requests are refused and prolong the wait. */
export const REFRESHES = {
  most: 10,
  windowMs: 10 * 60_000,
  error: "Access Denied",
  refusalsCount: true,
  source: `${TOKEN_VALIDITY}; https://help.zoho.com/portal/en/community/topic/kaizen-43-tokens-and-limitations (HTTP 200)`,
} as const;

/** Codes of one client. Further consents come back with an error that otherwise means that the person declined. */
export const CODES = {
  most: 10,
  windowMs: 10 * 60_000,
  error: "access_denied",
  source: TOKEN_VALIDITY,
} as const;
