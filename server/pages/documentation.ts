// The documentation as pages: the same files that `runtime help` shows. They are the same for everybody and say nothing of
// this installation, so they need no key.
import { INDEX, type Page, pageHtml, readPages } from "../../src/documentation";
import { routeNotFound } from "../../src/errors";
import { acceptsGzip } from "../accept";
import { matchesTag } from "../answer";
import { documentOf, hashOf, htmlPage, policyOf } from "./html";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto 4rem; padding: 0 1.25rem; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2rem; } nav { font-size: .9rem; }
a, code { overflow-wrap: anywhere; }
code { font: .9em ui-monospace, monospace; background: #8882; border-radius: .25rem; padding: .1em .3em; }
pre { background: #8882; border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .3rem .6rem; text-align: left; vertical-align: top; }
`;

const HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": policyOf({ "style-src": [hashOf(STYLE)], "form-action": ["'none'"] }),
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

interface Representation {
  gzipped: Uint8Array<ArrayBuffer>;
  etag: string;
}

// Made on the first request for each page, 250 KB for all of them, so that repeated requests are cheap.
const made = new Map<string, Representation>();
let names: ReadonlySet<string> | undefined;

/** GET /docs */
export function documentationIndex(request: Request): Promise<Response> {
  return answer(request, INDEX, "docs/");
}

/** GET /docs/{page}: as HTML, or as Markdown if the name ends with `.md`. */
export function documentationPage(request: Request, name: string): Promise<Response> {
  return answer(request, name, "");
}

/** `folder`: where the other pages are, seen from this one. Relative, so that links work below the prefix of a proxy. */
async function answer(request: Request, name: string, folder: string): Promise<Response> {
  const isMarkdown = name.endsWith(".md");
  const known =
    made.get(folder + name) ?? (await make(isMarkdown ? name.slice(0, -3) : name, isMarkdown, folder));
  if (known === undefined) return notFound(request);
  made.set(folder + name, known);
  const { gzipped, etag } = known;
  const headers = { ...HEADERS, etag, vary: "accept-encoding" };
  const match = request.headers.get("if-none-match");
  if (match !== null && matchesTag(match, etag.slice(2), true))
    return new Response(null, { status: 304, headers });
  const takesGzip = acceptsGzip(request);
  return new Response(takesGzip ? gzipped : Bun.gunzipSync(gzipped), {
    headers: {
      ...headers,
      "content-type": `text/${isMarkdown ? "markdown" : "html"}; charset=utf-8`,
      ...(takesGzip ? { "content-encoding": "gzip" } : {}),
    },
  });
}

/** Undefined: there is no page with this name. */
async function make(name: string, isMarkdown: boolean, folder: string): Promise<Representation | undefined> {
  if (names?.has(name) === false) return undefined;
  const pages = await readPages();
  names = new Set(pages.keys());
  const page = pages.get(name);
  if (page === undefined) return undefined;
  const text = isMarkdown
    ? page.text
    : htmlOf(
        page,
        pageHtml(pages, page, (other) => addressOf(other, folder)),
        folder,
      );
  const etag = `W/"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  return { gzipped: Bun.gzipSync(text), etag };
}

function addressOf(name: string, folder: string): string {
  if (name !== INDEX) return folder + name;
  return folder === "" ? "../docs" : "docs";
}

function htmlOf({ name, title }: Page, body: string, folder: string): string {
  const up = folder === "" ? "../" : "./";
  const index = name === INDEX ? "" : ` · <a href="${addressOf(INDEX, folder)}">Documentation</a>`;
  const nav = `<nav><a href="${up}">Agent runtime</a>${index}</nav>`;
  return documentOf(title, STYLE, `${nav}<main>${body}</main>`);
}

/** For browsers a page, for programs the error record. */
function notFound(request: Request): Response {
  if (request.headers.get("accept")?.includes("text/html") !== true)
    throw routeNotFound("This page does not exist. GET /docs lists all pages.");
  return htmlPage(404, "This page does not exist", `<p><a href="../docs">All pages</a></p>`);
}
