// A small service with an API of its own: a list of items over REST, described by an OpenAPI document, and the same as
// tools, in the protocol of HTTP workers.

export interface Item {
  readonly name: string;
  quantity: number;
}

/** The tools of the worker act on the items that the API shows. */
export class Inventory {
  readonly #items: Item[];
  readonly #secret: string;
  readonly #changed: () => void;

  /** `secret`: what the tokens of the worker's callers are signed with. */
  constructor(secret: string, items: readonly Item[] | undefined, changed: () => void) {
    this.#secret = secret;
    this.#items = [...(items ?? FIRST)].map((item) => ({ ...item }));
    this.#changed = changed;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Answers a request; `origin` is that of the service. */
  async answer(request: Request, path: string, origin: string): Promise<Response> {
    const route = `${request.method} ${path}`;
    if (route === "GET /openapi.json") return Response.json(description(origin));
    if (route === "GET /items") return Response.json({ items: this.#items });
    if (route === "PUT /items") return this.#put(await bodyOf(request));
    if (route === "GET /worker/health")
      return Response.json({ status: "ok", tool_count: String(TOOLS.length) });
    if (!path.startsWith("/worker/")) return Response.json({ error: "Not found." }, { status: 404 });
    if (!isSigned(request, this.#secret)) return Response.json({ error: "Invalid token." }, { status: 401 });
    if (route === "GET /worker/tools") return Response.json(TOOLS);
    if (route === "POST /worker/tools/invoke") return this.#invoke(await bodyOf(request));
    return Response.json({ error: "Not found." }, { status: 404 });
  }

  #put({ name, quantity }: Body): Response {
    if (typeof name !== "string" || name === "" || !Number.isSafeInteger(quantity))
      return Response.json({ error: "An item has a name and a whole number as quantity." }, { status: 400 });
    return Response.json(this.#set(name, Number(quantity)));
  }

  #set(name: string, quantity: number): Item {
    const known = this.#items.find((item) => item.name === name);
    if (known === undefined) this.#items.push({ name, quantity });
    else known.quantity = quantity;
    this.#changed();
    return { name, quantity };
  }

  #invoke({ tool, inputs, execution_id: id }: Body): Response {
    const name = isBody(tool) ? tool["name"] : undefined;
    const { item, quantity } = isBody(inputs) ? inputs : {};
    const value = name === "SetQuantity" ? this.#set(String(item), Number(quantity)) : { items: this.#items };
    return Response.json({ execution_id: id, success: true, duration: 1, output: { value } });
  }
}

type Body = Readonly<Record<string, unknown>>;

const FIRST: readonly Item[] = [
  { name: "lamp", quantity: 12 },
  { name: "chair", quantity: 4 },
];

const TOOLKIT = { name: "Inventory", description: "The items in stock.", version: "1.0.0" };
const ANY_VALUE = { available_modes: ["value", "error"], value_schema: { val_type: "json" } };

function parameter(name: string, type: string, text: string): object {
  return { name, description: text, required: true, value_schema: { val_type: type } };
}

const TOOLS: readonly object[] = [
  {
    name: "ListItems",
    description: "Lists the items in stock with their quantities.",
    toolkit: TOOLKIT,
    input: { parameters: [] },
    output: ANY_VALUE,
    requirements: {},
    metadata: { behavior: { operations: ["read"], read_only: true, destructive: false } },
  },
  {
    name: "SetQuantity",
    description: "Sets how many of an item are in stock.",
    toolkit: TOOLKIT,
    input: {
      parameters: [
        parameter("item", "string", "The name of the item, such as lamp."),
        parameter("quantity", "integer", "How many are in stock."),
      ],
    },
    output: ANY_VALUE,
    requirements: {},
    metadata: {
      behavior: { operations: ["update"], read_only: false, destructive: false, idempotent: true },
    },
  },
];

/** A JWT (RFC 7519) that is signed with HMAC and SHA-256, for workers, and has not expired. */
function isSigned(request: Request, secret: string): boolean {
  const token = /^Bearer ([\w-]+\.([\w-]+))\.([\w-]+)$/.exec(request.headers.get("authorization") ?? "");
  const [, signed = "", claims = "", signature = ""] = token ?? [];
  const expected = new Bun.CryptoHasher("sha256", secret).update(signed).digest("base64url");
  if (signature !== expected) return false;
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
    aud: string;
    exp: number;
  };
  return aud === "worker" && exp * 1000 > Date.now();
}

async function bodyOf(request: Request): Promise<Body> {
  const body: unknown = await request.json().catch(() => undefined);
  return isBody(body) ? body : {};
}

function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function description(origin: string): object {
  const item = {
    type: "object",
    required: ["name", "quantity"],
    properties: {
      name: { type: "string", description: "The name of the item." },
      quantity: { type: "integer", description: "How many are in stock." },
    },
  };
  const json = (schema: object): object => ({ "application/json": { schema } });
  const list = { type: "object", properties: { items: { type: "array", items: item } } };
  return {
    openapi: "3.0.3",
    info: { title: "Inventory", version: "1.0.0", description: TOOLKIT.description },
    servers: [{ url: origin }],
    paths: {
      "/items": {
        get: {
          operationId: "listItems",
          summary: "List the items in stock.",
          responses: { "200": { description: "All items.", content: json(list) } },
        },
        put: {
          operationId: "setQuantity",
          summary: "Set how many of an item are in stock.",
          requestBody: { required: true, content: json(item) },
          responses: { "200": { description: "The item.", content: json(item) } },
        },
      },
    },
  };
}
