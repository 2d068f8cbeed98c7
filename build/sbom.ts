// The bill of materials of a release, in the format CycloneDX 1.6 (ECMA-424).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import type { Contents } from "./licence-file";
import type { BundledPackage } from "./licences";
import { RUNTIME_VERSION } from "./runtimes";
import type { Target } from "./targets";

export interface Product {
  name: string;
  version: string;
  description: string;
  /** Names of the packages that the product itself imports. */
  dependencies: string[];
}

interface Component {
  type: "application" | "library" | "platform";
  "bom-ref"?: string;
  name: string;
  version?: string;
  description?: string;
  purl?: string;
  hashes?: { alg: "SHA-512"; content: string }[];
  licenses?: unknown[];
  components?: Component[];
}

/** The JSON text. The same contents, targets and date give the same bytes. */
export function billOfMaterials(
  product: Product,
  contents: Contents,
  targets: readonly Target[],
  date: Date,
  root: string,
): string {
  const { packages } = contents;
  const integrity = integrityIn(join(root, "bun.lock"));
  const self = `${product.name}@${product.version}`;
  const components = [
    bunComponent(contents, targets),
    ...packages.map((one) => packageComponent(one, integrity.get(`${one.name}@${one.version}`))),
  ];
  const direct = packages.filter(({ name }) => product.dependencies.includes(name)).map(referenceOf);
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      tools: { components: [{ type: "application", name: "bun", version: RUNTIME_VERSION }] },
      component: {
        type: "application",
        "bom-ref": self,
        name: product.name,
        version: product.version,
        description: product.description,
      },
    },
    components,
    dependencies: [
      { ref: self, dependsOn: [bunReference(), ...direct].sort() },
      { ref: bunReference() },
      ...packages.map((one) => ({ ref: referenceOf(one), dependsOn: needsOf(one, packages) })),
    ],
  };
  return `${JSON.stringify({ ...bill, serialNumber: serialNumberOf(bill) }, null, 2)}\n`;
}

function bunComponent({ bun }: Contents, targets: readonly Target[]): Component {
  const runtimes = targets.map(({ runtime }): Component => ({
    type: "platform",
    ...named(runtime.name, bun.version),
    hashes: [hashOf(runtime.integrity)],
    licenses: licensesOf("MIT"),
  }));
  const parts = bun.parts.map(({ name, licence }): Component => ({
    type: "library",
    name,
    licenses: licensesOf(licence),
  }));
  return {
    type: "platform",
    "bom-ref": bunReference(),
    ...named("bun", bun.version),
    licenses: licensesOf("MIT"),
    components: [...runtimes, ...parts],
  };
}

function packageComponent(one: BundledPackage, integrity: string | undefined): Component {
  if (integrity === undefined)
    throw new Error(`bun.lock has no ${one.name} ${one.version}: install the packages that it lists.`);
  return {
    type: "library",
    "bom-ref": referenceOf(one),
    ...named(one.name, one.version),
    hashes: [hashOf(integrity)],
    licenses: licensesOf(one.licence),
    ...(one.contains.length === 0
      ? {}
      : { components: one.contains.map((name): Component => ({ type: "library", name })) }),
  };
}

function needsOf({ dependencies }: BundledPackage, packages: readonly BundledPackage[]): string[] {
  return packages.filter(({ name }) => dependencies.includes(name)).map(referenceOf);
}

// A package URL writes the `@` of a scope as `%40`.
function named(name: string, version: string): Pick<Component, "name" | "version" | "purl"> {
  return { name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

function referenceOf({ name, version }: BundledPackage): string {
  return `${name}@${version}`;
}

function bunReference(): string {
  return `bun@${RUNTIME_VERSION}`;
}

function licensesOf(expression: string): unknown[] {
  return / (?:AND|OR) /.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

function hashOf(integrity: string): { alg: "SHA-512"; content: string } {
  return { alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") };
}

/** Package and version → the hash of its archive. */
function integrityIn(lockFile: string): Map<string, string> {
  const lock = parse(readFileSync(lockFile, "utf8"), [], { allowTrailingComma: true }) as {
    packages: Record<string, [identity: string, address: string, needs: unknown, integrity: string]>;
  };
  return new Map(Object.values(lock.packages).map(([identity, , , integrity]) => [identity, integrity]));
}

// A name by content (RFC 9562, version 8), so that a second build has the same one.
function serialNumberOf(bill: unknown): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(bill)).digest("hex");
  const groups = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `urn:uuid:${[...groups, hash.slice(20, 32)].join("-")}`;
}
