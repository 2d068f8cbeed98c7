// What differs between the SQL of SQLite and of PostgreSQL, in one place. Statements are written once, in SQL that both
// understand as far as possible; each is translated when it is first used.

/** Rewrites of expressions. Statements elsewhere use these forms only as written here. */
const REWRITES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Counts are 64-bit integers, which Bun returns as text.
  [/\bCOUNT\(\*\)/g, "COUNT(*)::double precision"],
  // By way of text: Bun encodes a parameter of the type jsonb as a JSON text of the text, once it knows the type.
  [/\bjson_each\(([\w.?$]+)\)/g, "jsonb_array_elements_text(($1)::text::jsonb) AS json_each(value)"],
  [/\bjson_group_array\(value\)/g, "COALESCE(jsonb_agg(value), '[]')::text"],
  [/\blower\(hex\(randomblob\(16\)\)\)/g, "replace(gen_random_uuid()::text, '-', '')"],
  [/\bINSTR\(/g, "strpos("],
];

/** What precedes the name of a table. */
const NAMED = /\b(FROM|JOIN|INTO|UPDATE|TABLE|REFERENCES|ON)(\s+(?:IF (?:NOT )?EXISTS\s+)?)"?([a-z_]+)"?/g;

export interface Dialect {
  /** The text for PostgreSQL, with `$1 …` and qualified names. */
  translate(text: string): string;
  /** Qualifies the names of tables only. */
  qualify(text: string): string;
}

/** `schema`: an identifier. `isTable`: whether a name is a table and not an alias. */
export function dialectOf(schema: string, isTable: (name: string) => boolean): Dialect {
  const translated = new Map<string, string>();
  // A transaction pooler may not keep a search path, so each name has its schema.
  const qualify = (text: string): string =>
    text.replaceAll(NAMED, (whole, word: string, space: string, name: string) =>
      isTable(name) ? `${word}${space}${schema}.${name}` : whole,
    );
  const translate = (text: string): string => {
    let known = translated.get(text);
    if (known === undefined) translated.set(text, (known = numbered(qualify(rewritten(text)))));
    return known;
  };
  return { translate, qualify };
}

export function rewritten(text: string): string {
  return REWRITES.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
}

/** Numbers the parameters, but not question marks inside of literals. */
function numbered(text: string): string {
  let count = 0;
  return text.replaceAll(/'[^']*'|\?/g, (part) => (part === "?" ? `$${++count}` : part));
}
