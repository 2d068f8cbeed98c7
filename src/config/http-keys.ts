// The settings of the HTTP server.
import { seconds, text } from "./types";

export const HTTP_KEYS = {
  "http.body_limit": {
    schema: { type: "integer", minimum: 1024, maximum: 1_073_741_824, description: "bytes" },
    default: 4_194_304,
    meaning: "largest request body",
  },
  "http.body_timeout": { schema: seconds, default: 30, meaning: "time limit for receiving a request body" },
  "http.idle_timeout": {
    schema: {
      type: "integer",
      // Bun has no longer limit.
      anyOf: [{ const: 0 }, { minimum: 5, maximum: 255 }],
      description: "seconds, 5 to 255, or 0",
    },
    default: 90,
    meaning:
      "seconds after which an idle connection is closed; longer than the idle timeout of a balancer in front; 0: never",
  },
  "http.rate_limit": {
    schema: { type: "integer", minimum: 0, maximum: 1_000_000, description: "requests, 0 to 1000000" },
    default: 0,
    meaning: "requests per minute for each credential; 0: no limit",
  },
  "http.trusted_proxies": {
    schema: { type: "array", items: text, description: "a list of addresses and address ranges" },
    default: [],
    meaning: "proxies whose Forwarded or X-Forwarded-For header names the client; empty: none",
  },
  "http.user_header": {
    schema: { type: "string", pattern: "^[A-Za-z0-9-]{1,100}$", description: "the name of a header" },
    default: "x-forwarded-user",
    meaning: "with sign_in: proxy, the header in which a proxy of http.trusted_proxies names the person",
  },
  "http.groups_header": {
    schema: { type: "string", pattern: "^[A-Za-z0-9-]{1,100}$", description: "the name of a header" },
    meaning:
      "with sign_in: proxy, the header with the groups of the person, separated by commas; unset: none",
  },
  "http.forwarded_header": {
    schema: { enum: ["x-forwarded-for", "forwarded"], description: "x-forwarded-for or forwarded" },
    meaning:
      "the only header of these proxies that counts; unset: X-Forwarded-For if there is one, else Forwarded",
  },
} as const;
