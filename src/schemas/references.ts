// Finds what the references of a schema refer to: pointers, anchors and ids of the same document. Others are remote.
import { isObject } from "../base";
import { DATA, formOf } from "./keywords";
import { decoded, escaped, pointed } from "./pointer";

export type Node = { [key: string]: unknown };

/** Base of addresses for a document without an id of its own. */
const NO_ADDRESS = "https://schema.invalid/";
const MAPS: ReadonlySet<unknown> = new Set(["map", "dependencies"]);
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** The reference of a schema; undefined if it has none. */
export function referenceOf(node: Node): string | undefined {
  return REFERENCES.map((keyword) => node[keyword]).find((value) => typeof value === "string");
}

export class References {
  /** The schema with an id that a schema belongs to, by schema. */
  readonly #resourceOf = new Map<Node, Node>();
  readonly #addressOf = new Map<Node, string>();
  readonly #byAddress = new Map<string, Node>();
  readonly #byAnchor = new Map<Node, Map<string, Node>>();
  readonly #root: Node;

  constructor(root: Node) {
    this.#root = root;
    this.#index(root, root, NO_ADDRESS, false);
  }

  /** A schema (object or boolean) of this document; undefined for one elsewhere, or none. */
  targetOf(node: Node): Node | boolean | undefined {
    const reference = referenceOf(node);
    if (reference === undefined) return undefined;
    const resource = this.#resourceOf.get(node) ?? this.#root;
    const found =
      reference.startsWith("#") || reference === ""
        ? (this.#within(resource, reference) ?? this.#within(this.#root, reference))
        : (this.#addressed(resource, reference) ?? named(this.#root, reference));
    return isObject(found) || typeof found === "boolean" ? found : undefined;
  }

  #index(value: unknown, resource: Node, address: string, isMap: boolean): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#index(each, resource, address, false);
      return;
    }
    if (!isObject(value)) return;
    let [here, base] = [resource, address];
    if (!isMap) {
      const id = this.#idOf(value);
      if (id?.startsWith("#") === true) this.#addAnchor(here, id.slice(1), value);
      else if (id !== undefined || value === this.#root) {
        here = value;
        base = absolute(id ?? "", address) ?? address;
        this.#addressOf.set(value, base);
        if (!this.#byAddress.has(base)) this.#byAddress.set(base, value);
      }
      for (const keyword of ["$anchor", "$dynamicAnchor"]) this.#addAnchor(here, value[keyword], value);
    }
    this.#resourceOf.set(value, here);
    for (const [key, inner] of Object.entries(value)) {
      if (isMap || !DATA.includes(key)) this.#index(inner, here, base, !isMap && MAPS.has(formOf(key)));
    }
  }

  #idOf(node: Node): string | undefined {
    const isOld = /draft-0[34]/.test(String(this.#root["$schema"]));
    const id = node["$id"] ?? (isOld ? node["id"] : undefined);
    return typeof id === "string" ? id : undefined;
  }

  #addAnchor(resource: Node, name: unknown, node: Node): void {
    if (typeof name !== "string") return;
    const anchors = this.#byAnchor.get(resource) ?? new Map<string, Node>();
    if (!anchors.has(name)) anchors.set(name, node);
    this.#byAnchor.set(resource, anchors);
  }

  #within(resource: Node, fragment: string): unknown {
    const text = decoded(fragment.slice(1));
    if (text === undefined) return undefined;
    if (text === "") return resource;
    return text.startsWith("/") ? pointed(resource, text) : this.#byAnchor.get(resource)?.get(text);
  }

  #addressed(resource: Node, reference: string): unknown {
    const address = absolute(reference, this.#addressOf.get(resource) ?? NO_ADDRESS);
    if (address === undefined) return undefined;
    const [whole = "", fragment] = address.split("#", 2);
    const found = this.#byAddress.get(whole);
    return found === undefined || fragment === undefined ? found : this.#within(found, `#${fragment}`);
  }
}

function absolute(reference: string, base: string): string | undefined {
  return URL.parse(reference, base)?.href.replace(/#$/, "");
}

// Some generators refer to a definition by its bare name.
function named(root: Node, name: string): unknown {
  return ["$defs", "definitions"].map((place) => pointed(root, `/${place}/${escaped(name)}`)).find(isObject);
}
