// The scripts of the shells, in the folders where each shell of Debian looks for them.
import { completionScript } from "../../cli/commands/completion";
import type { TarEntry } from "../tar";

const PATHS = {
  bash: "usr/share/bash-completion/completions/runtime",
  zsh: "usr/share/zsh/vendor-completions/_runtime",
  fish: "usr/share/fish/vendor_completions.d/runtime.fish",
} as const;

export function completions(): TarEntry[] {
  return [
    { path: PATHS.bash, content: completionScript("bash") },
    { path: PATHS.zsh, content: completionScript("zsh") },
    { path: PATHS.fish, content: completionScript("fish") },
  ];
}
