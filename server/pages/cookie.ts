// The cookie that binds a consent to the browser that began it.

/** Its name. Over https the `__Host-` prefix keeps other hosts of the domain from setting it (RFC 6265bis). */
function nameOf(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-runtime_consent" : "runtime_consent";
}

/** The browser's value, when it brought one of the right form. */
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
  // Lax: the provider's redirect is a top-level GET and must bring it; a form of another site must not.
  return `${nameOf(publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400${secure}`;
}
