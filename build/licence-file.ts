// LICENSES.txt: the licences of everything in an executable, with their texts.
import { type BunLicences, licencesOfBun } from "./bun-parts";
import { type BundledPackage, packagesOf, standardText } from "./licences";

export interface Contents {
  packages: BundledPackage[];
  bun: BunLicences;
}

const LINE = "=".repeat(80);

/** @throws Error if the licence of something in the executable is unknown. */
export function contentsOf(inputs: readonly string[], root: string): Contents {
  return { packages: packagesOf(inputs, root), bun: licencesOfBun(root) };
}

/** The text of LICENSES.txt. */
export function licenceFile(product: { name: string; version: string }, contents: Contents): string {
  const { packages, bun } = contents;
  return [
    `Licences of the software in ${product.name} ${product.version}\n`,
    `${product.name} itself: its owner has not chosen a licence yet. This file grants no rights to it.\n`,
    list(contents),
    section(`Bun ${bun.version}: MIT`, [bun.page]),
    ...packages.map((one) => section(`${one.name} ${one.version}: ${one.licence}`, textsOf(one))),
    ...idsOf(bun).map((id) => section(`The standard text of ${id}`, [standardText(id)])),
  ].join("\n");
}

function list({ packages, bun }: Contents): string {
  const rows = [
    [`Bun ${bun.version}`, "MIT"],
    ...bun.parts.map(({ name, licence }) => [`  in Bun: ${name}`, licence]),
    ...packages.map(({ name, version, licence }) => [`${name} ${version}`, licence]),
  ];
  return rows.map(([name = "", licence = ""]) => `${name.padEnd(56)} ${licence}\n`).join("");
}

function textsOf({ texts, contains }: BundledPackage): string[] {
  const inside =
    contains.length === 0
      ? []
      : [`Its publisher put parts of these packages into it:\n${wrapped(contains.join(", "))}`];
  return [...inside, ...texts.map(({ source, text }) => `--- ${source}\n\n${text.trim()}`)];
}

function section(title: string, texts: readonly string[]): string {
  return `${LINE}\n${title}\n${LINE}\n\n${texts.join("\n\n")}\n`;
}

function idsOf({ parts }: BunLicences): string[] {
  const ids = parts.flatMap(({ licence }) => licence.split(" AND "));
  return [...new Set(["MIT", ...ids])].sort();
}

function wrapped(text: string): string {
  return text.replaceAll(/(.{1,78})(?: |$)/g, "$1\n").trimEnd();
}
