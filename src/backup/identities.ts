/** The secret keys in the text of a file as `age-keygen` writes it. */
export function identitiesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
