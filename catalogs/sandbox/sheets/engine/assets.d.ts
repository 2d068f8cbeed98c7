// The program of the spreadsheet engine, imported as a path (`with { type: "file" }`).
declare module "@ironcalc/wasm/wasm_bg.wasm" {
  const path: string;
  export default path;
}
