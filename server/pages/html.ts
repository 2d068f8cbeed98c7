// Plain HTML without scripts, and redirects. Every value in a page is escaped with `escape`.
import { visible } from "../../src/base";
import { setCookie } from "./cookie";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: min(12vh, 4rem) auto 2rem; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
dl { border: 1px solid #8886; border-radius: .6rem; padding: .9rem 1.1rem; }
dt { font-size: .85rem; opacity: .75; } dd { margin: 0 0 .7rem; font-weight: 600; overflow-wrap: anywhere; }
dd:last-child { margin-bottom: 0; } dd ul { margin: 0; padding-left: 1.1rem; font-weight: 400; }
dd small { font-weight: 400; opacity: .75; } li { margin-bottom: .25rem; } li small { display: block; font-size: .78rem; }
code { overflow-wrap: anywhere; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem .7rem; margin: .3rem 0 .6rem; border-radius: .5rem;
  border: 1px solid #888; background: transparent; color: inherit; }
.problem { border-left: .3rem solid #c62828; padding-left: .8rem; } a { overflow-wrap: anywhere; }
button { font: inherit; padding: .6rem 1.1rem; margin: .4rem .6rem .4rem 0; border-radius: .5rem; border: 1px solid #888;
  cursor: pointer; background: transparent; color: inherit; }
button.main { background: #1456c4; border-color: #1456c4; color: #fff; }
`;

/** The policy of a page (`htmlPage`) that needs more than its style and forms. */
export function pagePolicy(more: Readonly<Record<string, readonly string[]>> = {}, style = STYLE): string {
  return policyOf({ "style-src": [hashOf(style)], "form-action": ["'self'"], ...more });
}

/** A style as a source of a policy. */
export function hashOf(style: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'`;
}

/** A content security policy that allows only these sources. */
export function policyOf(allowed: Readonly<Record<string, readonly string[]>>): string {
  const rules = Object.entries(allowed).map(([directive, sources]) => [directive, ...sources].join(" "));
  return ["default-src 'none'", ...rules, "frame-ancestors 'none'", "base-uri 'none'"].join("; ");
}

/** Text as HTML text or attribute value. */
export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Text for people as HTML text, with hidden characters made visible: one user must not be shown as another. */
export function shown(text: string): string {
  return escape(visible(text));
}

/** A complete page. `body` is HTML; `title` is text. */
export const htmlPage = htmlPageWith("");

/** `htmlPage` with more rules of style. */
export function htmlPageWith(more: string) {
  const style = STYLE + more;
  const policy = pagePolicy({}, style);
  return (status: number, title: string, body: string, headers: Record<string, string> = {}): Response =>
    new Response(documentOf(title, style, `<main><h1>${shown(title)}</h1>${body}</main>`), {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy": policy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        ...headers,
      },
    });
}

/** A document with one style. `body` is HTML; `title` is text. */
export function documentOf(title: string, style: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${shown(title)}</title>` +
    `<style>${style}</style></head><body>${body}</body></html>`
  );
}

/** 303 to another address, with the cookie that binds the flow to this browser. */
export function redirect(location: string, cookie: string | undefined, publicUrl: string): Response {
  const headers = new Headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" });
  if (cookie !== undefined) headers.set("set-cookie", setCookie(cookie, publicUrl));
  return new Response(null, { status: 303, headers });
}
