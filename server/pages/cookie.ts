// The cookie that binds a consent to the browser that started it.

/** Its name. Over https the `__Host-` prefix keeps other hosts of the domain from setting it (RFC 6265bis). */
function nameOf(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-runtime_consent" : "runtime_consent";
}

/** The value of the cookie; undefined without a valid one. */
export function readCookie(request: Request, publicUrl: string): string | undefined {
  const name = nameOf(publicUrl);
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === name && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}

export function setCookie(value: string, publicUrl: string): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: sent with the provider's redirect, which is a top-level GET, and not with a form of another site.
  return `${nameOf(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400${secure}`;
}
