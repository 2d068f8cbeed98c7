// /usr/share/doc/runtime/copyright: the licences of everything in the executable, in Debian's machine-readable format
// (https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/).
import type { Contents } from "../licence-file";
import { type BundledPackage, standardText } from "../licences";

const FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/";
const UNDECIDED =
  "The owner of this software has not chosen a licence yet. This file grants no rights to it.";

/** Licences whose text is part of every Debian system; packages refer to it. */
const COMMON: Readonly<Record<string, string>> = {
  "Apache-2.0": "Apache-2.0",
  "LGPL-2.0-or-later": "LGPL-2",
  "LGPL-2.1-only": "LGPL-2.1",
};
const WHOLE_APACHE = /Apache License\s+Version 2\.0, January 2004[\s\S]*TERMS AND CONDITIONS FOR USE/;

/** Fields of one paragraph. */
type Paragraph = Record<string, string>;

export function debianCopyright(name: string, { packages, bun }: Contents): string {
  const paragraphs: Paragraph[] = [
    { Format: FORMAT, "Upstream-Name": name },
    { Files: "*", Copyright: `The owner of ${name}`, License: field("undecided", UNDECIDED) },
    {
      Files: "bun/*",
      Copyright: "The authors of Bun and of its parts",
      License: field("MIT", bun.page),
      Comment: field("Parts of Bun and their licences:", partsOf(bun)),
    },
    ...packages.map(ofPackage),
    ...standardLicences(bun),
  ];
  return `${paragraphs.map(textOf).join("\n")}`;
}

function ofPackage({ name, version, licence, texts }: BundledPackage): Paragraph {
  const all = texts.map(({ source, text }) => `${source}:\n\n${shortened(text.trim())}`).join("\n\n");
  return {
    Files: `node_modules/${name}/*`,
    Copyright: holdersOf(all, name),
    // Two packages may have different texts under one name of a licence.
    License: field(
      `${licence.replaceAll(/[()]/g, "").replaceAll(" OR ", " or ").replaceAll(" AND ", " and ")}`,
      all,
    ),
    Comment: `Version ${version}`,
  };
}

function shortened(text: string): string {
  return WHOLE_APACHE.test(text) ? onDebian("Apache-2.0") : text;
}

function onDebian(id: string): string {
  return `The text of ${id} is in /usr/share/common-licenses/${COMMON[id]} on Debian systems.`;
}

/** The lines of the texts that name holders; without one, the authors in general. */
function holdersOf(text: string, name: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(?:copyright )?(?:\(c\)|©|copyright) .*\d{4}/i.test(line))
    .map((line) =>
      line.replace(/^(?:copyright\s*)?(?:\(c\)|©)?\s*/i, "").replace(/\s*all rights reserved\.?$/i, ""),
    );
  const holders = [...new Set(lines)];
  return holders.length === 0 ? `The authors of ${name}` : holders.join("\n ");
}

function partsOf({ parts }: Contents["bun"]): string {
  return parts.map(({ name, licence }) => `${name}: ${licence}`).join("\n");
}

function standardLicences({ parts }: Contents["bun"]): Paragraph[] {
  const ids = [...new Set(parts.flatMap(({ licence }) => licence.split(/ (?:AND|OR) /)))].sort();
  return ids
    .filter((id) => id !== "MIT")
    .map((id) => ({
      License: field(id, id in COMMON ? onDebian(id) : standardText(id)),
    }));
}

/** A first line and, indented, the others; an empty line is a dot. */
function field(first: string, text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => (line.trim() === "" ? " ." : ` ${line.trimEnd()}`));
  return [first, ...lines].join("\n");
}

function textOf(paragraph: Paragraph): string {
  return Object.entries(paragraph)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
}
