// Cookies of pages: those that bind a consent or a sign-in to the browser that started it, and those of sessions.

const CONSENT = "runtime_consent";
const SESSION = "runtime_session";
const BROWSER = "runtime_sign_in";
const DAY_S = 86_400;
const HOUR_S = 3600;

/** Over https the `__Host-` prefix keeps other hosts of the domain from setting a cookie (RFC 6265bis). */
function nameOf(name: string, publicUrl: string): string {
  return publicUrl.startsWith("https:") ? `__Host-${name}` : name;
}

/** The value of a cookie with 256 random bits; undefined without a valid one, and if there are two that differ. */
function valueOf(request: Request, name: string): string | undefined {
  const values = new Set<string>();
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = part.trim().split("=", 2);
    if (key === name && /^[A-Za-z0-9_-]{43}$/.test(value)) values.add(value);
  }
  const [value, ...others] = values;
  return others.length === 0 ? value : undefined;
}

function cookieOf(name: string, value: string, publicUrl: string, maxAgeS: number): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  // Lax: sent with redirects of others, which are top-level GETs, and not with a form of another site.
  return `${nameOf(name, publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure}`;
}

/** The value of the cookie of a consent; undefined without a valid one. */
export function readCookie(request: Request, publicUrl: string): string | undefined {
  return valueOf(request, nameOf(CONSENT, publicUrl));
}

export function setCookie(value: string, publicUrl: string): string {
  return cookieOf(CONSENT, value, publicUrl, DAY_S);
}

/** The secret of a browser that has begun to sign in. */
export function readBrowser(request: Request, publicUrl: string): string | undefined {
  return valueOf(request, nameOf(BROWSER, publicUrl));
}

export function browserCookie(value: string, publicUrl: string): string {
  return cookieOf(BROWSER, value, publicUrl, HOUR_S);
}

// Each project has a cookie of its own: a browser may be signed in to several, as different users.
function sessionName(projectId: string): string {
  return `${SESSION}_${projectId}`;
}

/** The cookie of the browser's session in a project. */
export function readSession(request: Request, projectId: string, publicUrl: string): string | undefined {
  return valueOf(request, nameOf(sessionName(projectId), publicUrl));
}

/** `lifetimeS`: 0 removes the cookie. */
export function sessionCookie(
  value: string,
  projectId: string,
  publicUrl: string,
  lifetimeS: number,
): string {
  return cookieOf(sessionName(projectId), value, publicUrl, lifetimeS);
}
