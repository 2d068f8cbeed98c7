// Addresses of resources at a gateway. They stay as the servers have them, unless two servers have the same: then that of the
// later toolkit gets the toolkit's name in front, `toolkit+`.
import type { Catalog, Tool } from "../../tools";
import { uriTemplate, type UriTemplate } from "./uri-template";

/** A resource, or a template of several, of one server. */
export interface Addressed {
  /** The tool that reads it. */
  reader: Tool;
  /** As the server has it. */
  upstream: string;
  /** As clients of the gateway see it. */
  shown: string;
}

/** More templates of one server find no addresses. */
const MOST_TEMPLATES = 100;
/** Templates that are compared later count as overlapping. */
const MOST_COMPARED = 1_000_000;

interface KnownTemplate extends Addressed {
  /** Of the template as it is shown. */
  match: UriTemplate;
}

export class Uris {
  readonly #readers: readonly Tool[];
  readonly #resources = new Map<string, Addressed>();
  readonly #templates: KnownTemplate[] = [];
  readonly #byTemplate = new Map<string, Addressed>();
  /** Templates of a server in `#templates`. */
  readonly #counts = new Map<Tool, number>();
  /** Characters of templates that were compared so far. */
  #compared = 0;

  /** `readers`: the tools that read resources, in the order in which they get their addresses. */
  constructor(readers: readonly Tool[]) {
    this.#readers = readers;
  }

  addResource(reader: Tool, upstream: string): Addressed {
    const isTaken = this.#resources.has(upstream);
    const added = { reader, upstream, shown: isTaken ? prefixed(reader.catalog, upstream) : upstream };
    // A server may list a resource twice.
    if (!this.#resources.has(added.shown)) this.#resources.set(added.shown, added);
    return added;
  }

  addTemplate(reader: Tool, upstream: string): Addressed {
    const count = this.#counts.get(reader) ?? 0;
    const own = count < MOST_TEMPLATES ? uriTemplate(upstream) : undefined;
    const overlaps = own !== undefined && this.#templates.some((other) => this.#overlap(reader, own, other));
    const shown = overlaps ? prefixed(reader.catalog, upstream) : upstream;
    const added = { reader, upstream, shown };
    if (!this.#byTemplate.has(shown)) this.#byTemplate.set(shown, added);
    const match = overlaps ? uriTemplate(shown) : own;
    if (match === undefined) return added;
    this.#counts.set(reader, count + 1);
    this.#templates.push({ ...added, match });
    return added;
  }

  /** Whether a template may mean an address of another server. Those that begin alike are compared, until that takes long. */
  #overlap(reader: Tool, own: UriTemplate, other: KnownTemplate): boolean {
    const [one, two] = [own.prefix, other.match.prefix];
    if (other.reader === reader || !(one.startsWith(two) || two.startsWith(one))) return false;
    if (this.#compared >= MOST_COMPARED) return true;
    this.#compared += own.sample.length + other.match.sample.length;
    return other.match.matches(own.sample) || own.matches(other.match.sample);
  }

  /** Who reads an address, and by which name. Undefined if that cannot be told. */
  find(uri: string): Pick<Addressed, "reader" | "upstream"> | undefined {
    const resource = this.#resources.get(uri);
    if (resource !== undefined) return resource;
    const template = this.#templates.find(({ match }) => match.matches(uri));
    if (template !== undefined) {
      const { reader, upstream, shown } = template;
      return { reader, upstream: upstream === shown ? uri : withoutPrefix(reader.catalog, uri) };
    }
    const named = this.#readers.find(({ catalog }) => hasPrefix(catalog, uri));
    if (named !== undefined) return { reader: named, upstream: withoutPrefix(named.catalog, uri) };
    const [only, ...others] = this.#readers;
    return only === undefined || others.length > 0 ? undefined : { reader: only, upstream: uri };
  }

  /** A template by the text that clients see. */
  template(shown: string): Addressed | undefined {
    return this.#byTemplate.get(shown);
  }

  /** How clients of the gateway must name an address that a server has in its answer. */
  shown({ catalog }: Tool, uri: string): string {
    if (this.#readers.length < 2) return uri;
    const resource = this.#resources.get(uri);
    const owner = resource ?? this.#templates.find(({ match }) => match.matches(uri));
    const isOthers = owner !== undefined && owner.reader.catalog !== catalog;
    const reads = this.#readers.some((reader) => reader.catalog === catalog);
    return isOthers && reads ? prefixed(catalog, uri) : uri;
  }
}

function prefixOf({ toolkit }: Catalog): string {
  // A scheme has no `_` (RFC 3986, section 3.1).
  return `${toolkit.name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-")}+`;
}

function prefixed(catalog: Catalog, uri: string): string {
  return prefixOf(catalog) + uri;
}

function hasPrefix(catalog: Catalog, uri: string): boolean {
  const prefix = prefixOf(catalog);
  return uri.slice(0, prefix.length).toLowerCase() === prefix;
}

function withoutPrefix(catalog: Catalog, uri: string): string {
  return uri.slice(prefixOf(catalog).length);
}
