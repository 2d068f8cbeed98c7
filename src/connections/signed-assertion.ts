// Client authentication with a signed assertion (`private_key_jwt`, OpenID Connect Core section 9).
import type { KeyObject } from "node:crypto";
import * as oauth from "oauth4webapi";
import { nodeCrypto } from "../crypto";
import { TokenRequestError } from "./token-answer";

/** `text` is the key as PEM (PKCS #8) or as JWK in JSON. Throws `TokenRequestError` if it is neither. */
export async function signedAssertion(text: string, audience: string): Promise<oauth.ClientAuth> {
  const { key, kid } = readKey(text);
  const algorithm = algorithmOf(key);
  const pkcs8 = key.export({ format: "der", type: "pkcs8" });
  const cryptoKey = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), algorithm, false, ["sign"]);
  return oauth.PrivateKeyJwt(kid === undefined ? cryptoKey : { key: cryptoKey, kid }, {
    [oauth.modifyAssertion]: (_header, payload) => {
      payload["aud"] = audience;
    },
  });
}

function readKey(text: string): { key: KeyObject; kid: string | undefined } {
  try {
    if (!text.trim().startsWith("{")) return { key: nodeCrypto().createPrivateKey(text), kid: undefined };
    const jwk: { [name: string]: unknown } = JSON.parse(text);
    const { kid } = jwk;
    return {
      key: nodeCrypto().createPrivateKey({ key: jwk, format: "jwk" }),
      kid: typeof kid === "string" ? kid : undefined,
    };
  } catch {
    throw new TokenRequestError(
      "The private key of the auth provider cannot be read. It must be PEM or a JWK.",
      {
        transient: false,
      },
    );
  }
}

function algorithmOf(key: KeyObject) {
  if (key.asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const curve = key.asymmetricKeyDetails?.namedCurve ?? "";
  const names: { [curve: string]: string } = { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" };
  const namedCurve = names[curve];
  if (namedCurve !== undefined) return { name: "ECDSA", namedCurve };
  throw new TokenRequestError(
    "The private key of the auth provider cannot sign assertions. Use an RSA key or an EC key (P-256, P-384, P-521).",
    {
      transient: false,
    },
  );
}
