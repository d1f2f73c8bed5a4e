import { helpTopics } from '#core/help-topics.ts';
import { type Command, everywhere, listed, type Values } from './completion-words.ts';

// All three walk the words before the cursor the same way: which command, which flag waits for its value, how many arguments
// there were; then ask three tables. Only the tables are generated, and ids are asked of cleo when they are wanted.

export const scripts = { bash, zsh, fish };

const ids = Object.entries(listed);

interface Rows {
  /** Words so far → words that may follow, with what they mean. */
  next: [string, [word: string, about: string][]][];
  /** Command → its flags. */
  flags: [string, [word: string, about: string][]][];
  /** `command --flag` or `command N`, in all the spellings that have one answer → what may stand there. */
  values: [keys: string[], Values][];
}

function rowsOf(commands: Command[]): Rows {
  const next = new Map<string, Map<string, string>>();
  const add = (before: string, word: string, about: string): void => {
    const words = next.get(before) ?? new Map<string, string>();
    next.set(before, words);
    if (!words.get(word)) words.set(word, about);
  };
  for (const { words, about } of commands) {
    const parts = words.split(' ');
    parts.forEach((part, i) => void add(parts.slice(0, i).join(' '), part, i === parts.length - 1 ? about : ''));
  }
  return {
    next: [...next].map(([before, words]) => [before, [...words]]),
    flags: commands.map(({ words, flags }) => [words, flags.map(({ flag, about }) => [flag, about])]),
    values: [
      ...commands.flatMap(({ words, args, flags }) => [
        ...args.map(({ values, isList }, i): Rows['values'][number] => [places(i + 1, isList).map((n) => `${words} ${n}`), values]),
        ...flags.flatMap(({ flag, values }): Rows['values'] => (values ? [[[`${words} ${flag}`], values]] : [])),
      ]),
      ...everywhere.flatMap(({ flag, values }): Rows['values'] => (values ? [[[` ${flag}`], values]] : [])),
    ],
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const textOf = (values: Values): string => (Array.isArray(values) ? values.join(' ') : values);
/** The argument at this place and, for a list, those after it. */
const places = (n: number, isList: boolean): number[] => (isList ? Array.from({ length: 10 - n }, (_, i) => n + i) : [n]);
/** A key that begins with a space is a flag of every command. */
const patternOf = (key: string): string => (key.startsWith(' ') ? `*${quoted(key)}` : quoted(key));

function bash(commands: Command[]): string {
  const { next, flags, values } = rowsOf(commands);
  const words = (rows: Rows['next']): string =>
    rows.map(([key, items]) => `    ${quoted(key)}) echo ${quoted(items.map(([word]) => word).join(' '))} ;;`).join('\n');
  return `# Completion of cleo for bash. To load it: eval "$(cleo completion bash)"
_cleo_next() {
  case "$1" in
${words(next)}
  esac
}
_cleo_flags() {
  case "$1" in
${words(flags)}
  esac
}
_cleo_values() {
  case "$1 $2" in
${values.map(([keys, of]) => `    ${keys.map(patternOf).join(' | ')}) echo ${quoted(textOf(of))} ;;`).join('\n')}
  esac
}
_cleo() {
  local command='' flag='' position=0 prefix='' before=() cur i word words
  COMPREPLY=()
  # A colon may be a word of its own; what it joins is one here.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((i > 1)) && [[ $word == ':' || \${COMP_WORDS[i - 1]} == ':' ]]; then before[\${#before[@]} - 1]+="$word"; else before+=("$word"); fi
  done
  cur="\${before[\${#before[@]} - 1]}"
  for ((i = 0; i < \${#before[@]} - 1; i++)); do
    word="\${before[i]}"
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $flag ]]; then flag=''; continue; fi
    if [[ $word == -* ]]; then
      if [[ -n $(_cleo_values "$command" "$word") ]]; then flag="$word"; fi
    elif [[ $position == 0 && " $(_cleo_next "$command") " == *" $word "* ]]; then
      command="\${command:+$command }$word"
    else
      position=$((position + 1))
    fi
  done
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ -z $flag && $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_cleo_flags "$command") ${everywhere.map(({ flag }) => flag).join(' ')}" -- "$cur"))
    return
  fi
  if [[ -n $flag ]]; then
    words="$(_cleo_values "$command" "$flag")"
  else
    words="$(_cleo_values "$command" "$((position + 1))")"
    if [[ $position == 0 ]]; then words="$words $(_cleo_next "$command")"; fi
  fi
  if [[ $words == *@files* ]]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi
  words="\${words//@any/}"
  if [[ $words == *@commands* ]]; then words="\${words//@commands/} $(_cleo_next '') ${helpTopics.join(' ')}"; fi
  if [[ $words == *@tasks* ]]; then words="\${words//@tasks/} $("\${COMP_WORDS[0]}" list --quiet --limit 1000 2>/dev/null)"; fi
${ids.map(([kind, command]) => `  if [[ $words == *${kind}* ]]; then words="\${words//${kind}/} $("\${COMP_WORDS[0]}" ${command} --quiet 2>/dev/null)"; fi`).join('\n')}
  if [[ $words == *@scopes* ]]; then
    if [[ $cur != *:* ]]; then
      COMPREPLY=($(compgen -W 'global epic: saga: task:' -- "$cur"))
      if [[ "\${COMPREPLY[*]}" == *: ]]; then compopt -o nospace 2>/dev/null; fi
      return
    fi
    # Where a colon ends a word, only what follows it is replaced.
    if [[ $COMP_WORDBREAKS != *:* ]]; then prefix="\${cur%%:*}:"; fi
    words="$("\${COMP_WORDS[0]}" list --type "\${cur%%:*}" --quiet --limit 1000 2>/dev/null)"
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "\${cur#*:}"))
    return
  fi
  if [[ $cur == *,* ]]; then prefix="\${cur%,*},"; fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "\${cur##*,}"))
}
complete -F _cleo cleo ct
`;
}

function zsh(commands: Command[]): string {
  const { next, flags, values } = rowsOf(commands);
  const words = (rows: Rows['next']): string =>
    rows
      .map(
        ([key, items]) =>
          `    ${quoted(key)}) reply=(${items.map(([word, about]) => quoted(about ? `${word}:${about}` : word)).join(' ')}) ;;`,
      )
      .join('\n');
  return `#compdef cleo ct
# Completion of cleo for zsh. To load it, after compinit: source <(cleo completion zsh)
_cleo_next() {
  reply=()
  case "$1" in
${words(next)}
  esac
}
_cleo_flags() {
  reply=()
  case "$1" in
${words(flags)}
  esac
  reply+=(${everywhere.map(({ flag, about }) => quoted(`${flag}:${about}`)).join(' ')})
}
_cleo_values() {
  reply=()
  case "$1 $2" in
${values.map(([keys, of]) => `    ${keys.map(patternOf).join(' | ')}) reply=(${textOf(of)}) ;;`).join('\n')}
  esac
}
_cleo() {
  local command='' flag='' word cur="\${words[CURRENT]}"
  local -i position=0 i
  local -a reply values
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $flag ]]; then flag=''; continue; fi
    if [[ $word == -* ]]; then
      _cleo_values "$command" "$word"
      if (( $#reply )); then flag="$word"; fi
      continue
    fi
    _cleo_next "$command"
    if (( position == 0 && \${reply[(I)$word(|:*)]} )); then
      command="\${command:+$command }$word"
    else
      position+=1
    fi
  done
  if [[ -z $flag && $cur == --*=* ]]; then
    flag="\${cur%%=*}"
    compset -P '*='
  elif [[ -z $flag && $cur == -* ]]; then
    _cleo_flags "$command"
    _describe -o option reply
    return
  fi
  _cleo_values "$command" "\${flag:-$((position + 1))}"
  values=("\${reply[@]}")
  if [[ -z $flag ]] && (( position == 0 )); then
    _cleo_next "$command"
    if (( $#reply )); then _describe command reply; fi
  fi
  case "\${values[1]}" in
    @files) _files ;;
    @commands) _cleo_next ''; reply+=(${helpTopics.map((topic) => `'${topic}'`).join(' ')}); _describe command reply ;;
    @tasks) compset -P '*,'; compadd -S '' -- \${(f)"$("\${words[1]}" list --quiet --limit 1000 2>/dev/null)"} ;;
${ids.map(([kind, command]) => `    ${kind}) compadd -- \${(f)"$("\${words[1]}" ${command} --quiet 2>/dev/null)"} ;;`).join('\n')}
    @scopes)
      word="\${PREFIX%%:*}"
      if compset -P '*:'; then
        compadd -- \${(f)"$("\${words[1]}" list --type "$word" --quiet --limit 1000 2>/dev/null)"}
      else
        compadd -- global; compadd -S '' -- epic: saga: task:
      fi ;;
    @any | '') ;;
    *) compset -P '*,'; compadd -- "\${values[@]}" ;;
  esac
}
if [[ "\${funcstack[1]}" == _cleo ]]; then _cleo "$@"; else compdef _cleo cleo ct; fi
`;
}

function fish(commands: Command[]): string {
  const { next, flags, values } = rowsOf(commands);
  const safe = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const words = (rows: Rows['next']): string =>
    rows
      .map(
        ([key, items]) =>
          `    case ${safe(key)}\n      printf '%s\\t%s\\n' ${items.map(([word, about]) => `${safe(word)} ${safe(about)}`).join(' ') || "'' ''"}`,
      )
      .join('\n');
  const pattern = (key: string): string => safe(key.startsWith(' ') ? `*${key}` : key);
  return `# Completion of cleo for fish. To load it: cleo completion fish | source
function __cleo_next
  switch "$argv[1]"
${words(next)}
  end
end
function __cleo_flags
  switch "$argv[1]"
${words(flags)}
  end
  printf '%s\\t%s\\n' ${everywhere.map(({ flag, about }) => `${safe(flag)} ${safe(about)}`).join(' ')}
end
function __cleo_values
  switch "$argv[1] $argv[2]"
${values.map(([keys, of]) => `    case ${keys.map(pattern).join(' ')}\n      printf '%s\\n' ${textOf(of)}`).join('\n')}
  end
end
function __cleo_complete
  set -l before (commandline -opc)
  set -l cur (commandline -ct)
  set -l command ''
  set -l flag ''
  set -l position 0
  for word in $before[2..-1]
    if test -n "$flag"
      set flag ''
    else if string match -q -- '-*' "$word"
      if test -n "$(__cleo_values "$command" "$word")"
        set flag "$word"
      end
    else if test $position = 0; and contains -- "$word" (__cleo_next "$command" | string replace -r '\\t.*' '')
      set command (string trim -- "$command $word")
    else
      set position (math $position + 1)
    end
  end
  set -l prefix ''
  if test -z "$flag"; and string match -qr -- '^--[^=]+=' "$cur"
    set flag (string replace -r '=.*' '' -- "$cur")
    set prefix "$flag="
  else if test -z "$flag"; and string match -q -- '-*' "$cur"
    __cleo_flags "$command"
    return
  end
  set -l found
  if test -n "$flag"
    set found (__cleo_values "$command" "$flag")
  else
    if test $position = 0
      __cleo_next "$command"
    end
    set found (__cleo_values "$command" (math $position + 1))
  end
  set -l list (string match -r '^.*,' -- (string replace -- "$prefix" '' "$cur"))
  switch "$found[1]"
    case '@files'
      __fish_complete_path "$cur"
    case '@commands'
      __cleo_next ''
      printf '%s\\n' ${helpTopics.join(' ')}
    case '@tasks'
      for id in ($before[1] list --quiet --limit 1000 2>/dev/null)
        echo "$prefix$list$id"
      end
${ids
  .map(
    ([kind, command]) => `    case '${kind}'
      for id in ($before[1] ${command} --quiet 2>/dev/null)
        echo "$prefix$id"
      end`,
  )
  .join('\n')}
    case '@scopes'
      set -l scope (string replace -- "$prefix" '' "$cur")
      set -l kind (string match -r '^[a-z]+(?=:)' -- "$scope")
      if test -z "$kind"
        printf "$prefix%s\\n" global epic: saga: task:
      else
        for id in ($before[1] list --type "$kind" --quiet --limit 1000 2>/dev/null)
          echo "$prefix$kind:$id"
        end
      end
    case '@any' ''
    case '*'
      for word in $found
        echo "$prefix$list$word"
      end
  end
end
complete -c cleo -f -a '(__cleo_complete)'
complete -c ct -f -a '(__cleo_complete)'
`;
}
