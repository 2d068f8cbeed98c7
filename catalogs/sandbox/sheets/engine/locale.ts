// The locales of files: how numbers and formulas are typed and shown in them.

export interface Locale {
  /** The platform's name of it. */
  readonly name: string;
  /** What the engine calls the nearest one that it has. */
  readonly engine: string;
  /** What `numfmt` calls it. */
  readonly format: string;
  readonly decimal: "." | ",";
}

const LOCALES: readonly Locale[] = [
  { name: "en_US", engine: "en", format: "en-US", decimal: "." },
  { name: "de_DE", engine: "de", format: "de-DE", decimal: "," },
  { name: "fr_FR", engine: "fr", format: "fr-FR", decimal: "," },
  // The engine has no Turkish; German has the same separators.
  { name: "tr_TR", engine: "de", format: "tr-TR", decimal: "," },
];

/** Throws for a locale that the stand-in does not have. */
export function localeNamed(name: string): Locale {
  const locale = LOCALES.find((one) => one.name === name);
  if (locale === undefined) throw new Error(`There is no locale ${name}.`);
  return locale;
}

/** A number as the engine writes it, without thousands separators. */
export function numberIn(text: string, { decimal }: Locale): number {
  return Number(decimal === "," ? text.replace(",", ".") : text);
}

/** The form of a number that the engine reads. */
export function numberText(number: number, { decimal }: Locale): string {
  return decimal === "," ? String(number).replace(".", ",") : String(number);
}

/** The platform reads `;` between arguments in every locale; the engine only where the comma is the decimal separator. */
export function formulaText(formula: string, { decimal }: Locale): string {
  if (decimal === ",") return formula;
  return formula.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\{[^}]*\}|;/g, (part) =>
    part === ";" ? "," : part,
  );
}
