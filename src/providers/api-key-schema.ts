// The record's `api_key`: keys that users make at a service and give to this server themselves.
import { type Static, Type } from "typebox";

/** Checked with a better error by the rules. */
const ADDRESS = { format: "uri" };
const address = Type.String({ minLength: 1, maxLength: 1000, shown: ADDRESS });

const testRequest = {
  url: Type.String({
    minLength: 1,
    maxLength: 1000,
    shown: ADDRESS,
    description: "At one of the addresses; answers only with a good key.",
  }),
  method: Type.Enum(["GET", "HEAD", "POST"]),
  expect_status: Type.Integer({
    minimum: 200,
    maximum: 599,
    description: "The status of a good key. Default: every status from 200 to 299.",
  }),
};
const location = Type.Enum(["header", "query", "cookie", "basic"], {
  description: "Where the key goes in the test request.",
});
const rest = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Name of the header (default Authorization), parameter or cookie.",
    }),
  ),
  prefix: Type.Optional(
    Type.String({ maxLength: 100, description: "What precedes the key, such as `Bearer `." }),
  ),
  addresses: Type.Optional(
    Type.Array(address, {
      maxItems: 50,
      description: "Where keys may be sent. Scheme, host and port count. Programs over stdio need none.",
    }),
  ),
  help: Type.Optional(
    Type.String({ maxLength: 2000, description: "What users read on the page where they enter their key." }),
  ),
  help_url: Type.Optional(
    Type.String({ maxLength: 1000, shown: ADDRESS, description: "Where users get a key." }),
  ),
};

export const ApiKeyConfig = Type.Object({
  location,
  ...rest,
  test: Type.Optional(
    Type.Object(
      {
        url: testRequest.url,
        method: Type.Optional(testRequest.method),
        expect_status: Type.Optional(testRequest.expect_status),
      },
      { description: "Sent with each new key. A key that it refuses is not stored." },
    ),
  ),
});

export const ApiKeyPatch = Type.Object({
  location: Type.Optional(location),
  ...rest,
  test: Type.Optional(
    Type.Partial(Type.Object(testRequest), { description: "Its fields replace those of the record." }),
  ),
});

export type ApiKeyConfig = Static<typeof ApiKeyConfig>;
export type ApiKeyPatch = Static<typeof ApiKeyPatch>;
