#compdef superres
# Completion of superres for zsh: source <(superres completion zsh), after compinit,
# or this file as _superres in a folder of $fpath.

_superres() {
	local line files=''
	local -a found
	for line in "${(@f)$("${words[1]/#\~/$HOME}" completion words -- "${(@)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
		if [[ $line == :files ]]; then
			files=1
		elif [[ -n $line ]]; then
			line="${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}"
			found+=("${line%:}")
		fi
	done
	if (( $#found )); then
		_describe superres found
	elif [[ -n $files ]]; then
		[[ $PREFIX == -*=* ]] && compset -P '*='
		_files
	fi
}

if [[ $funcstack[1] == _superres ]]; then
	_superres "$@"
else
	compdef _superres superres
fi
