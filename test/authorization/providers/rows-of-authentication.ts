// How the client shows who it is: in the header, in the body, by a signature, or not at all; never twice.
import { generateKeyPairSync } from "node:crypto";
import { SECRET } from "./record";
import type { Row, Sent } from "./table";

const says = {
  token: { body: { access_token: "T", refresh_token: "R", expires_in: 3600 } },
  refresh: { body: { access_token: "T2", expires_in: 3600 } },
};
const later = "T2";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const rsaPem = rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const ecJwk = JSON.stringify({ ...p256.privateKey.export({ format: "jwk" }), kid: "key 1" });
const p384Pem = p384.privateKey.export({ type: "sec1", format: "pem" }).toString();

/** Both requests to the token endpoint authenticate alike. */
function both(sent: Sent): { token: Sent; refresh: Sent } {
  return { token: sent, refresh: sent };
}

function method(auth_method: string, more: object = {}) {
  return { token_request: { auth_method, ...more }, refresh_request: { auth_method, ...more } };
}

function keyed(name: string, private_key: string, signedBy: Sent["signedBy"]): Row {
  return {
    name: `private_key_jwt with ${name}`,
    oauth2: { ...method("private_key_jwt"), private_key },
    says,
    expects: {
      later,
      sent: both({
        ...(signedBy === undefined ? {} : { signedBy }),
        authorization: null,
        without: ["client_secret"],
      }),
    },
  };
}

export const AUTHENTICATION: readonly Row[] = [
  {
    name: "the secret in the body when the record does not say where",
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { client_id: "cl:ient", client_secret: SECRET } }),
    },
  },
  {
    name: "the secret in the body (client_secret_post)",
    oauth2: method("client_secret_post"),
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { client_id: "cl:ient", client_secret: SECRET } }),
    },
  },
  {
    name: "the secret form-encoded in the header (client_secret_basic)",
    oauth2: method("client_secret_basic"),
    says,
    expects: {
      later,
      sent: both({
        authorization: "Basic cl%3Aient:a%2Bb%2Fc%3Ad%25e%3D",
        without: ["client_secret", "client_id"],
      }),
    },
  },
  {
    name: "the secret as it is in the header (client_secret_basic_raw)",
    oauth2: method("client_secret_basic_raw"),
    says,
    expects: {
      later,
      sent: both({ authorization: `Basic cl:ient:${SECRET}`, without: ["client_secret"] }),
    },
  },
  {
    name: "a secret in the header is not repeated by a template",
    oauth2: method("client_secret_basic", { params: { client_secret: "{{client_secret}}", kept: "yes" } }),
    says,
    expects: { later, sent: both({ params: { kept: "yes" }, without: ["client_secret"] }) },
  },
  {
    name: "a secret under a template's own name",
    oauth2: method("client_secret_post", { params: { app_secret: "{{client_secret}}" } }),
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { app_secret: SECRET }, without: ["client_secret"] }),
    },
  },
  {
    name: "a secret in the query of the address, encoded, and not in the body besides",
    oauth2: {
      token_request: { method: "GET", endpoint: "/token?key={{client_secret}}" },
      refresh_request: { method: "GET", endpoint: "/refresh?key={{client_secret}}" },
    },
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { key: SECRET }, without: ["client_secret"] }),
    },
  },
  {
    name: "a header of the provider's own form",
    oauth2: method("", { auth_header_value_format: "Key {{client_id}}:{{client_secret}}" }),
    says,
    expects: {
      later,
      sent: both({ authorization: `Key cl:ient:${SECRET}`, without: ["client_secret"] }),
    },
  },
  {
    name: "no secret leaves with auth_method none",
    oauth2: method("none"),
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { client_id: "cl:ient" }, without: ["client_secret"] }),
    },
  },
  {
    name: "a public client (no secret) is named, whatever the method",
    oauth2: { ...method("client_secret_basic"), client_secret: null },
    says,
    expects: {
      later,
      sent: both({ authorization: null, params: { client_id: "cl:ient" }, without: ["client_secret"] }),
    },
  },
  keyed("an RSA key in PEM", rsaPem, { key: rsa.publicKey, algorithm: "RS256" }),
  keyed("an EC key as JWK", ecJwk, { key: p256.publicKey, algorithm: "ES256" }),
  keyed("an EC key of P-384 in the PEM of OpenSSL", p384Pem, { key: p384.publicKey, algorithm: "ES384" }),
  {
    name: "private_key_jwt, and a template's secret beside it stays at home",
    oauth2: {
      ...method("private_key_jwt", { params: { client_secret: "{{client_secret}}" } }),
      private_key: rsaPem,
    },
    says,
    expects: {
      sent: { token: { signedBy: { key: rsa.publicKey, algorithm: "RS256" }, without: ["client_secret"] } },
    },
  },
  {
    name: "private_key_jwt without a key: nothing is sent in its place",
    oauth2: method("private_key_jwt"),
    says,
    expects: { status: "failed", reason: "private_key", nothing: true, sent: { token: { times: 0 } } },
  },
  {
    name: "private_key_jwt with what is no key: nothing is sent in its place",
    oauth2: { ...method("private_key_jwt"), private_key: "no key" },
    says,
    expects: { status: "failed", reason: "private key", nothing: true, sent: { token: { times: 0 } } },
  },
];
