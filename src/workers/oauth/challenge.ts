// The `WWW-Authenticate` header of a resource that wants a token (RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9728,
// section 5.1).

export interface Challenge {
  /** The address of the metadata of the resource. */
  resourceMetadata?: string;
  /** The scopes that the request needs. */
  scopes?: string[];
  error?: string;
}

/** Longer headers are cut: the rest is not looked at. */
const MAX_CHARACTERS = 8192;

// A parameter, or the name of a scheme. Each piece is matched where the last one ended, so the time is linear.
const PIECE =
  /[\s,]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))|([!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]+[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$)))?))/y;

/** The first challenge for a bearer token; empty if there is none. */
export function parseChallenge(header: string | undefined): Challenge {
  const parameters = bearerParameters((header ?? "").slice(0, MAX_CHARACTERS));
  const scopes = (parameters.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  const resourceMetadata = parameters.get("resource_metadata");
  const error = parameters.get("error");
  return {
    ...(resourceMetadata === undefined || resourceMetadata === "" ? {} : { resourceMetadata }),
    ...(scopes.length === 0 ? {} : { scopes: [...new Set(scopes)] }),
    ...(error === undefined ? {} : { error }),
  };
}

function bearerParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let isBearer = false;
  PIECE.lastIndex = 0;
  for (let piece = PIECE.exec(header); piece !== null; piece = PIECE.exec(header)) {
    const [, name, quoted, plain, scheme] = piece;
    if (scheme !== undefined) {
      if (isBearer) break;
      isBearer = scheme.toLowerCase() === "bearer";
    } else if (isBearer && name !== undefined && !parameters.has(name.toLowerCase())) {
      parameters.set(name.toLowerCase(), plain ?? (quoted ?? "").replaceAll(/\\(.)/g, "$1"));
    }
  }
  return parameters;
}
