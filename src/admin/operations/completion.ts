import { description, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';

export const adminCompletion = query({
  name: 'admin.completion',
  summary: 'Print the completion script for a shell',
  params: strictObject({ shell: pipe(picklist(['bash', 'zsh', 'fish']), description('The shell that reads it')) }),
  result: strictObject({ script: string() }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'completion', args: ['shell'], raw: 'script' },
  example: { call: { shell: 'bash' } },
  async run(_, { shell }) {
    return { script: scripts[shell] };
  },
});

// `cleo __complete -- <words>` prints the candidates for the last word, one on a line: the value, and its description behind a tab.
// `:files` asks the shell to complete file names.
const scripts = {
  bash: `# Completion of cleo for bash. To load it: eval "$(cleo completion bash)"
_cleo() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" tab=$'\\t' words=() i line prefix
  COMPREPLY=()
  # Bash splits words at : and =; join the parts again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((i > 1)) && [[ \${COMP_WORDS[i]} == [:=] || \${COMP_WORDS[i - 1]} == [:=] ]]; then
      words[\${#words[@]} - 1]+="\${COMP_WORDS[i]}"
    else
      words+=("\${COMP_WORDS[i]}")
    fi
  done
  # Bash replaces only the part after the last : or =.
  prefix="\${words[\${#words[@]} - 1]}"
  if [[ $cur == [:=] ]]; then cur=''; else prefix="\${prefix%"$cur"}"; fi
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
      return
    fi
    line="\${line%%"$tab"*}"
    COMPREPLY+=("\${line#"$prefix"}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${words[@]}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _cleo cleo ct
`,
  zsh: `#compdef cleo ct
# Completion of cleo for zsh. To load it, after compinit: source <(cleo completion zsh)
_cleo() {
  local line value tab=$'\\t'
  local -a found prefixes
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    value="\${line%%$tab*}"
    case "$value" in
      '') ;;
      :files)
        if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
        _files
        return ;;
      *:) prefixes+=("\${value//:/\\\\:}") ;;
      *) found+=("\${value//:/\\\\:}:\${\${line#"$value"}#$tab}") ;;
    esac
  done
  if (( $#found )); then _describe cleo found; fi
  if (( $#prefixes )); then _describe cleo prefixes -S ''; fi
}
if [[ "\${funcstack[1]}" == _cleo ]]; then _cleo "$@"; else compdef _cleo cleo ct; fi
`,
  fish: `# Completion of cleo for fish. To load it: cleo completion fish | source
function __cleo_complete
  set -l words (commandline -opc)
  set -l cur (commandline -ct)
  set -l lines ($words[1] __complete -- $words[2..-1] "$cur" 2>/dev/null)
  if test "$lines[1]" = ':files'
    __fish_complete_path "$cur"
  else
    string join \\n -- $lines
  end
end
complete -c cleo -f -a '(__cleo_complete)'
complete -c ct -f -a '(__cleo_complete)'
`,
};
