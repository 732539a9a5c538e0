# Completion of flyball for bash. Subcommands, options and elements are those the program tells.
_flyball() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} program=${COMP_WORDS[0]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  flyball \([a-z]*\) .*/\1/p') --help --version" -- "$word")
    return
  fi
  case $before in
    --method)
      mapfile -t COMPREPLY < <(compgen -W "trapezoid newmark hht wbz ch gen custom direct baumgarte partition hybrid radau bdf" -- "$word")
      return
      ;;
    --formulation)
      mapfile -t COMPREPLY < <(compgen -W "ggl index3 index2 index1" -- "$word")
      return
      ;;
  esac
  case $word in
    -*)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')" -- "$word")
      return
      ;;
  esac
  case $command in
    explain)
      mapfile -t COMPREPLY < <(compgen -W "$("$program" explain 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p; s/^[a-z]*: //p')" -- "$word")
      ;;
    problem)
      [ "$COMP_CWORD" -gt 2 ] ||
        mapfile -t COMPREPLY < <(compgen -W "$("$program" problem 2>/dev/null | sed -n '1d; s/^\([a-z][a-z-]*\)  .*/\1/p')" -- "$word")
      ;;
    plot)
      [ "$COMP_CWORD" -eq 2 ] ||
        mapfile -t COMPREPLY < <(compgen -W "$("$program" info "${COMP_WORDS[2]}" 2>/dev/null | sed -n 's/^  \([A-Za-z_][A-Za-z0-9_.]*\) .*/\1/p')" -- "$word")
      ;;
  esac
}
complete -o default -F _flyball flyball
