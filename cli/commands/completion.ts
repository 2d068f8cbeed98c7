// `runtime completion`: shell scripts that call `runtime __complete` for candidates.
import { oneOf, verb } from "../command";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const verbs = [
  verb({
    usage: "completion <shell>",
    summary: "Print the script that completes commands, names and parameters in a shell (bash, zsh, fish).",
    examples: [
      "source <(runtime completion bash)",
      "runtime completion zsh > ~/.zfunc/_runtime",
      "runtime completion fish > ~/.config/fish/completions/runtime.fish",
    ],
    read: (line) => ({ shell: oneOf(line.word(0), SHELLS, "The shell") ?? "bash" }),
    run: async (io, _common, { shell }) => io.out(completionScript(shell)),
  }),
];

export function completionScript(shell: (typeof SHELLS)[number]): string {
  return SCRIPTS[shell];
}

const SCRIPTS: { readonly [S in (typeof SHELLS)[number]]: string } = {
  bash: `# Completion of runtime for bash: source <(runtime completion bash)
_runtime() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=( $("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
  [ "\${#COMPREPLY[@]}" -gt 0 ] || compopt -o default 2>/dev/null
}
complete -F _runtime runtime
`,
  zsh: `#compdef runtime
# Completion of runtime for zsh: put it into a folder of $fpath as _runtime
_runtime() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("\${(@)candidates:#}")
  if (( \${#candidates} )); then compadd -- "\${(@)candidates}"; else _files; fi
}
if [ "\${funcstack[1]}" = _runtime ]; then _runtime "$@"; else compdef _runtime runtime; fi
`,
  fish: `# Completion of runtime for fish: put it into ~/.config/fish/completions/runtime.fish
function __runtime_complete
  set -l words (commandline -opc)
  $words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c runtime -f -a "(__runtime_complete)"
`,
};
