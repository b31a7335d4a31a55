# Completion of superres for bash: source <(superres completion bash)

_superres() {
	local rest=${COMP_LINE:0:COMP_POINT} words=() last='' word line files='' n=-1 i
	# Bash splits words at = and : as well; here they are put together again.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${rest#"${rest%%[![:blank:]]*}"}
		if ((n < 0)) || [[ $word != "$rest" ]]; then
			words[++n]=''
		fi
		rest=$word
		last=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || last=$rest # up to the cursor
		words[n]+=$last
		rest=${rest#"$last"}
	done
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			files=1
		else
			COMPREPLY+=("${line%%$'\t'*}")
		fi
	done < <("${words[0]/#\~/$HOME}" completion words -- "${words[@]}" 2>/dev/null)
	# What takes its place is only the part that Bash has split off.
	[[ $last != [=:] ]] || last=''
	word=${words[n]%"$last"}
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$word"}
	done
	# Files are what Bash falls back to.
	[[ -n $files ]] || compopt +o default +o bashdefault 2>/dev/null
	return 0
}

complete -o bashdefault -o default -F _superres superres
